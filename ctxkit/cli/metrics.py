"""`ctxkit metrics`."""

from __future__ import annotations

import threading
import time

import click

from ctxkit.cli.options import repository_and_settings


@click.command()
@click.option('--listen', metavar='HOST:PORT', is_flag=False, flag_value='127.0.0.1:9465',
              help='Serve the metrics instead of printing them (default: 127.0.0.1:9465, local only).')  # fmt: skip
def metrics(listen: str | None) -> None:
    """Print the metrics of this repository in Prometheus' text format."""
    from ctxkit.errors import CtxError

    repo, settings = repository_and_settings()
    try:
        import prometheus_client  # noqa: F401
    except ImportError as error:
        raise CtxError(f'the metrics library cannot be loaded ({error})', 'pip install prometheus-client') from error
    if listen is None:
        from ctxkit.metrics.collect import text

        click.echo(text(repo, settings, time.time), nl=False)
        return
    from ctxkit.metrics.serve import listen as serve

    server, address = serve(repo, settings, listen, time.time)
    click.echo(f'ctxkit: metrics on http://{address}/metrics', err=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()
        server.server_close()
