"""How near two texts are in meaning, by the bundled model; vectors are kept, and the model is loaded only if needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.config import Settings
from ctxkit.memory.facts import digest
from ctxkit.memory.store import Connection

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Meaning:
    """Cosines by the person's embedding model; 0 for all pairs where the model cannot be loaded."""

    def __init__(self, db: Connection, settings: Settings) -> None:
        self.db, self.settings = db, settings
        self.encoder: Any = None
        self.broken = False
        self.vectors: dict[str, NDArray[Any]] = {}

    def cosine(self, a: str, b: str) -> float:
        """The cosine of two texts."""
        left, right = self._vector(a), self._vector(b)
        return float(left @ right) if left is not None and right is not None else 0.0

    def _vector(self, text: str) -> NDArray[Any] | None:
        import numpy as np

        if self.broken:
            return None
        if text not in self.vectors:
            key, model = digest(text), self.settings.model.name
            row = self.db.execute('SELECT vector FROM vectors WHERE model=? AND text=?', (model, key)).fetchone()
            if row:
                self.vectors[text] = np.frombuffer(row[0], dtype=np.float32)
            else:
                try:
                    if self.encoder is None:
                        from ctxkit import embedding

                        self.encoder = embedding.load(model, self.settings.model.threads)
                    self.vectors[text] = self.encoder.encode([text])[0]
                except Exception:
                    self.broken = True  # memory works without the model: words alone decide then
                    return None
                self.db.execute(
                    'INSERT OR REPLACE INTO vectors VALUES(?,?,?)',
                    (model, key, self.vectors[text].astype(np.float32).tobytes()),
                )
        return self.vectors[text]
