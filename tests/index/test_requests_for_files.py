"""What is no code is found where the request asks for it: by its name, as documents, as what a build server runs."""

from __future__ import annotations

import pytest
from helpers_main import block

from ctxkit.index.path_classes import path_kind
from ctxkit.index.request import parse

CODE = 'def step_{0}(value):\n    return work(value, {1}=True)\n\n\n'
WORDS = ('release', 'image', 'variable', 'port', 'listen', 'install', 'version', 'lint')
FILES = {
    'app.py': ''.join(CODE.format(one, other) for one in WORDS for other in WORDS if one != other),
    '.github/workflows/build.yml': 'jobs:\n  image:\n    runs-on: linux\n    version: 3\n    lint: yes\n',
    '.env.example': '# a variable for the port\nPORT=80\n',
    'docker-compose.yml': 'services:\n  web:\n    image: web\n    listen: 80\n    port: 80\n',
    'README.md': '# Web\n\nHow to install a version: see the image.\n',
    'docs/release.md': '# Releases\n\nHow a release and its image are made, and the version of it.\n',
    'notes.yml': 'version: 3\nimage: lint\nport: 80\nlisten: 80\n',
}


@pytest.mark.parametrize(
    ('said', 'path'),
    [
        ('CI workflow: lint the image version', '.github/workflows/build.yml'),
        ('.env.example: add a variable for the port', '.env.example'),
        ('docker compose: on which port does the image listen', 'docker-compose.yml'),
        ('README: how to install this version', 'README.md'),
        ('docs: how a release of the image is made', 'docs/release.md'),
        ('lint the image version', ''),
        ('on which port does the image listen', ''),
    ],
)
def test_files_that_a_request_asks_for_come_as_code_does(git_repo, said, path):
    first = [unit.path for unit in block(git_repo(FILES), said).units][:3]
    assert path in first if path else first == ['app.py'] * 3


@pytest.mark.parametrize(('said', 'asked'), [('docs(api): say', 'docs'), ('CI: run it', 'ci'), ('fix: run it', '')])
def test_a_prefix_tells_the_kind_of_file(said, asked):
    assert parse(said).plain & {'docs', 'ci', 'fix'} == ({asked} if asked else set())


@pytest.mark.parametrize(
    'path',
    [
        'gen/strings_en.g.dart',
        'app/Form1.Designer.cs',
        'api/model.pb.go',
        'api/model.pb.gw.go',
        'zz/api_pb2_grpc.py',
        'src/frb_generated.rs',
        'mvnw',
        'app/gradlew.bat',
    ],
)
def test_what_tools_wrote_is_not_the_projects_own_code(path):
    assert path_kind(path) == 'vendored'
    assert path_kind('src/generator.g/model.dart') == ''
