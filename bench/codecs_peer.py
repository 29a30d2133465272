#!/usr/bin/env python3
"""Writes a plane as the streams of some codecs, and times imagecodecs decoding them with one thread.

usage: codecs_peer.py PLANE FOLDER, then see peer_timing.py

PLANE has 2048 x 2048 uint16 samples. FOLDER takes a file for each codec: a little-endian uint32 with the number of streams, then the length
of each, then the streams. Needs imagecodecs.
"""
import pathlib, struct, sys

import imagecodecs, numpy

from peer_timing import report

SIDE, ROWS, TILE = 2048, 64, 512
plane = numpy.fromfile(sys.argv[1], "<u2").reshape(SIDE, SIDE)
folder = pathlib.Path(sys.argv[2])
bytes8 = (plane >> 4).astype("u1")
colours = numpy.stack([bytes8, bytes8 // 2, 255 - bytes8], axis=-1)
strips = lambda array: [numpy.ascontiguousarray(array[y : y + ROWS]) for y in range(0, SIDE, ROWS)]
tiles = lambda array: [
    numpy.ascontiguousarray(array[y : y + TILE, x : x + TILE]) for y in range(0, SIDE, TILE) for x in range(0, SIDE, TILE)
]
# The size of an element is that of the array's items, whatever `typesize` says.
blosc = lambda name, shuffle=1: lambda array: imagecodecs.blosc_encode(array, compressor=name, shuffle=shuffle, level=5)
of_bytes = lambda code: lambda array: code(array.tobytes())

# Pieces, encoder, decoder.
CODECS = {
    "lzw": (strips(plane), of_bytes(imagecodecs.lzw_encode), lambda s: imagecodecs.lzw_decode(s, out=2 * SIDE * ROWS)),
    "deflate": (strips(plane), of_bytes(imagecodecs.zlib_encode), lambda s: imagecodecs.zlib_decode(s, out=2 * SIDE * ROWS)),
    "zstd": (strips(plane), of_bytes(imagecodecs.zstd_encode), lambda s: imagecodecs.zstd_decode(s, out=2 * SIDE * ROWS)),
    "packbits": (strips(bytes8 >> 2), of_bytes(imagecodecs.packbits_encode), lambda s: imagecodecs.packbits_decode(s, out=SIDE * ROWS)),
    "lzma": (strips(plane)[:4], of_bytes(imagecodecs.lzma_encode), lambda s: imagecodecs.lzma_decode(s, out=2 * SIDE * ROWS)),
    "blosc_lz4": (tiles(plane), blosc("lz4"), lambda s: imagecodecs.blosc_decode(s, numthreads=1)),
    "blosc_lz4_bits": (tiles(plane), blosc("lz4", 2), lambda s: imagecodecs.blosc_decode(s, numthreads=1)),
    "blosc_blosclz": (tiles(plane), blosc("blosclz"), lambda s: imagecodecs.blosc_decode(s, numthreads=1)),
    "blosc_zstd": (tiles(plane), blosc("zstd"), lambda s: imagecodecs.blosc_decode(s, numthreads=1)),
    "jpeg": (tiles(bytes8), lambda a: imagecodecs.jpeg8_encode(a, level=90), imagecodecs.jpeg8_decode),
    "jpeg_rgb": (tiles(colours), lambda a: imagecodecs.jpeg8_encode(a, level=90, subsampling="420"), imagecodecs.jpeg8_decode),
    "ljpeg": (tiles(plane), lambda a: imagecodecs.ljpeg_encode(a, bitspersample=16), imagecodecs.ljpeg_decode),
    "jpeg2000": (
        tiles(plane)[:4],
        lambda a: imagecodecs.jpeg2k_encode(a, level=0, codecformat="J2K"),
        lambda s: imagecodecs.jpeg2k_decode(s, numthreads=1),
    ),
    "jpegxr": (tiles(plane), lambda a: imagecodecs.jpegxr_encode(a, level=1.0), imagecodecs.jpegxr_decode),
    "lerc": (tiles(plane), imagecodecs.lerc_encode, imagecodecs.lerc_decode),
    "webp": (
        tiles(colours)[:4],
        lambda a: imagecodecs.webp_encode(a, lossless=True, level=50),
        lambda s: imagecodecs.webp_decode(s),
    ),
}
STREAMS = {}
for name, (pieces, encode, _) in CODECS.items():
    streams = STREAMS[name] = [bytes(encode(piece)) for piece in pieces]
    head = struct.pack(f"<{len(streams) + 1}I", len(streams), *map(len, streams))
    (folder / name).write_bytes(head + b"".join(streams))
print("written", flush=True)


def once(codec):
    decode = CODECS[codec][2]
    for stream in STREAMS[codec]:
        decode(stream)


report(once)
