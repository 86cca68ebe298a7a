"""counting_model.py FOLDER: a model whose next token is the last one plus 1, as a program and a
safetensors file: embeddings are unit vectors, the head shifts them, and layers add nothing."""

import json
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "examples" / "python"))

import llama_program  # noqa: E402

WORDS = 16
CONFIG = llama_program.Config(WORDS, 8, 2, 2, 1, 8, WORDS)


def values_of(name, shape):
    columns = shape[-1]
    if name.endswith("norm.weight"):
        return [1.0] * columns
    rows = {"model.embed_tokens.weight": 0, "lm_head.weight": 1}
    if name not in rows:
        # What O and down add is 0, whatever the others are.
        is_last = name.endswith(("o_proj.weight", "down_proj.weight"))
        return [0.0 if is_last else 0.5] * (shape[0] * columns)
    return [
        float((row - rows[name]) % WORDS == column)
        for row in range(shape[0])
        for column in range(columns)
    ]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    text = llama_program.model_program(CONFIG, "f32", 1, None, 8)
    (folder / "model.mlir").write_text(text)
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, shape in CONFIG.model_weights().items():
        elements = values_of(name, shape)
        new = struct.pack(f"<{len(elements)}f", *elements)
        ends = [len(data), len(data) + len(new)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": ends}
        data += new
    begin = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(begin)) + begin + data
    )


if __name__ == "__main__":
    main()
