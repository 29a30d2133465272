"""Writes a plane as the streams of some codecs, and times imagecodecs decoding them with one thread.

usage: codec_peers.py PLANE FOLDER, then see peers.py: `do` is "write" or the name of a codec

PLANE has 2048 x 2048 uint16 samples. FOLDER gets a file CODEC.N for each stream. Needs imagecodecs.
"""
import pathlib, sys

import imagecodecs as ic, numpy

from peers import report

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
blosc = lambda name, shuffle=1: lambda array: ic.blosc_encode(array, compressor=name, shuffle=shuffle, level=5)
unblosc = lambda stream: ic.blosc_decode(stream, numthreads=1)
unjpeg2k = lambda stream: ic.jpeg2k_decode(stream, numthreads=1)
of_bytes = lambda code: lambda array: code(array.tobytes())
to_strip = lambda decode, bytes=2: lambda stream: decode(stream, out=bytes * SIDE * ROWS)

# Pieces, encoder, decoder.
CODECS = {
    "lzw": (strips(plane), of_bytes(ic.lzw_encode), to_strip(ic.lzw_decode)),
    "deflate": (strips(plane), of_bytes(ic.zlib_encode), to_strip(ic.zlib_decode)),
    "zstd": (strips(plane), of_bytes(ic.zstd_encode), to_strip(ic.zstd_decode)),
    "packbits": (strips(bytes8 >> 2), of_bytes(ic.packbits_encode), to_strip(ic.packbits_decode, 1)),
    "blosc_lz4": (tiles(plane), blosc("lz4"), unblosc),
    "blosc_lz4_bits": (tiles(plane), blosc("lz4", 2), unblosc),
    "blosc_blosclz": (tiles(plane), blosc("blosclz"), unblosc),
    "blosc_zstd": (tiles(plane), blosc("zstd"), unblosc),
    "jpeg": (tiles(bytes8), lambda a: ic.jpeg8_encode(a, level=90), ic.jpeg8_decode),
    "jpeg_rgb": (tiles(colours), lambda a: ic.jpeg8_encode(a, level=90, subsampling="420"), ic.jpeg8_decode),
    "ljpeg": (tiles(bytes8), lambda a: ic.jpeg8_encode(a, lossless=True), ic.jpeg8_decode),
    "jpeg2000": (tiles(plane)[:4], lambda a: ic.jpeg2k_encode(a, level=0, codecformat="J2K"), unjpeg2k),
    "jpegxr": (tiles(plane), lambda a: ic.jpegxr_encode(a, level=1.0), ic.jpegxr_decode),
    "lerc": (tiles(plane), ic.lerc_encode, ic.lerc_decode),
    "webp": (tiles(colours)[:4], lambda a: ic.webp_encode(a, lossless=True, level=50), ic.webp_decode),
}

STREAMS = {}


def write():
    for name, (pieces, encode, _) in CODECS.items():
        STREAMS[name] = [bytes(encode(piece)) for piece in pieces]
        for i, stream in enumerate(STREAMS[name]): (folder / f"{name}.{i}").write_bytes(stream)


def decode(name):
    for stream in STREAMS[name]: CODECS[name][2](stream)


report({"write": write, **{name: lambda name=name: decode(name) for name in CODECS}})
