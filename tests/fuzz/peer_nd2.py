#!/usr/bin/env python3
"""Reads ND2 files with nd2 (0.12.0), and their JPEG 2000 with imagecodecs; see peer.py. Where nd2 refuses a file, its planes are those of
the chunks of frames that lie at multiples of 4096, by the attributes as nd2 parses them, or of the codestreams in their order."""
import re, struct, zlib

import imagecodecs
import nd2
import numpy
from nd2._parse._clx_xml import json_from_clx_variant
from nd2._parse._clx_lite import json_from_clx_lite_variant

from peer import answer


def read(path):
    with nd2.ND2File(path) as file:
        # The samples of an open file are those of its mapped memory.
        frame = file.read_frame(0).copy()
        rows, columns = file.attributes.heightPx, file.attributes.widthPx
        # Colours are behind the columns.
        if file.components_per_channel == 3: frame = frame.reshape(-1, *frame.shape[-3:]).transpose(0, 3, 1, 2)
        return [(None, plane) for plane in frame.reshape(-1, rows, columns)]


def codestreams(data):
    starts = [found.start() for found in re.finditer(b"\xff\x4f\xff\x51", data)]
    for start, end in zip(starts, starts[1:] + [len(data)]):
        try: plane = imagecodecs.jpeg2k_decode(data[start:end])
        except Exception: yield None
        else: yield from ((None, component) for component in plane.reshape(*plane.shape[:2], -1).transpose(2, 0, 1))


def chunks(data):
    for start in range(0, len(data) - 16, 4096):
        magic, field, length = struct.unpack_from("<IIQ", data, start)
        if magic == 0x0ABECEDA: yield data[start + 16:start + 16 + field].split(b"!")[0], data[start + 16 + field:start + 16 + field + length]


def frames(data):
    found = dict(chunks(data))
    text = found.get(b"ImageAttributesLV") or found[b"ImageAttributes"]
    stated = json_from_clx_variant(text) if text.startswith(b"<") else json_from_clx_lite_variant(text, strip_prefix=False)
    while len(stated) == 1: stated = next(iter(stated.values()))
    rows, columns, components = stated["uiHeight"], stated["uiWidth"], stated["uiComp"]
    kind = "<f" if stated["uiBpcInMemory"] == 32 or stated.get("ePixelType") == 2 else "<u"
    used = columns * components * stated["uiBpcInMemory"] // 8
    for name in sorted((name for name in found if re.fullmatch(rb"ImageDataSeq\|\d+", name)), key=lambda name: int(name.split(b"|")[1])):
        try:
            samples = zlib.decompress(found[name][8:]) if stated.get("eCompression") == 0 else found[name][8:]
            lines = b"".join(samples[row * stated["uiWidthBytes"]:][:used] for row in range(rows))
            planes = numpy.frombuffer(lines, f"{kind}{stated['uiBpcInMemory'] // 8}").reshape(rows, columns, components)
        except Exception: yield from [None] * components
        else: yield from ((None, plane) for plane in planes.transpose(2, 0, 1))


def pages(path):
    with open(path, "rb") as file: data = file.read()
    return list(frames(data) if data[:4] == b"\xda\xce\xbe\x0a" else codestreams(data))


if __name__ == "__main__": answer(read, pages)
