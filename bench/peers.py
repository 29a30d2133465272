"""Reads planes with other readers, or writes files that nothing else here has an encoder for, and times it.

Each line of standard input is a JSON object: `do`, the name of a function below, and its arguments. The answer is a line with the
milliseconds that it took, by the clock and in processor time of all threads, or an empty line after a failure, such as a missing package.
"""
import json, logging, pathlib, sys, time, warnings

import numpy

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures"


def float32(plane): return numpy.array(plane, "<f4", order="C")


def tifffile(path, page=0, channel=None):
    import tifffile

    with tifffile.TiffFile(path) as tiff:
        plane = tiff.series[0].pages[page].asarray()
        return numpy.ascontiguousarray(plane if channel is None or plane.ndim < 3 else plane[channel], "<f4")


def czifile(path, axis, index):
    import czifile

    with czifile.CziFile(path) as czi: return czi.scenes[next(iter(czi.scenes))](**{axis: index}).asarray().astype("float32")


def liffile(path, frame):
    import liffile

    with liffile.LifFile(path) as file:
        image = file.images[0]
        keys = {name: index for name, index in {"Z": frame, "C": 0}.items() if name in image.dims}
        plane = image.frames(**keys)[0] if keys else image.frames[0]
        return float32(plane[..., 0] if plane.ndim == 3 else plane)


def nd2(path, frame):
    import nd2

    with nd2.ND2File(path) as file:
        plane = file.read_frame(frame)
        return float32(plane[0] if plane.ndim == 3 else plane)


def oiffile(path):
    import oiffile

    with oiffile.OifFile(path) as oif: return oif.asarray(next(oif.glob("*.tif"))).astype("f4")


def oirfile(path):
    import oirfile

    with oirfile.OirFile(path) as oir: return numpy.ascontiguousarray(oir.asarray(), "<f4")


def zarr(path):
    import zarr

    return numpy.ascontiguousarray(zarr.open_array(path + "/0", mode="r")[:], "<f4")


def write_zarr(path, codec):
    """An OME-Zarr 0.5 image of 2048 x 2048 uint16 in chunks of 512 x 512."""
    import zarr
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

    compressors = {
        "gzip": GzipCodec(level=5),
        "zstd": ZstdCodec(),
        "blosc lz4, shuffle": BloscCodec(cname="lz4", shuffle="shuffle", typesize=2),
        "blosc zstd, shuffle": BloscCodec(cname="zstd", shuffle="shuffle", typesize=2),
        "shards of 64 x 64, zstd": ZstdCodec(),
    }
    y, x = numpy.ogrid[:2048, :2048]
    noise = numpy.random.default_rng(1).integers(0, 16, (2048, 2048))
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    ome = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": [{"path": "0"}]}]}
    tile = {"chunks": (64, 64), "shards": (512, 512)} if codec.startswith("shards") else {"chunks": (512, 512)}
    group = zarr.create_group(path, zarr_format=3, attributes={"ome": ome})
    array = group.create_array("0", shape=(2048, 2048), dtype="<u2", compressors=compressors.get(codec), **tile)
    array[:] = (1000 + 800 * numpy.sin(x / 97) * numpy.cos(y / 61) + noise).astype("<u2")


def write_jpegxr(path, raw):
    """Recodes the subblocks of a raw CZI file as JPEG XR."""
    import czifile, imagecodecs

    sys.path.insert(0, str(FIXTURES / "czi"))
    from czi_file import GRAY16, JPEGXR, Czi

    with czifile.CziFile(raw) as czi: array = czi.scenes[next(iter(czi.scenes))].asarray()
    made = Czi("<ImageDocument><Metadata/></ImageDocument>")
    for c, plane in enumerate(array.reshape(-1, *array.shape[-2:])):
        coded = imagecodecs.jpegxr_encode(plane, level=1.0)
        made.subblock(GRAY16, [("X", 0, plane.shape[1]), ("Y", 0, plane.shape[0]), ("C", c, 1)], coded, JPEGXR)
    pathlib.Path(path).write_bytes(made.bytes())


def report(functions):
    """Answers the lines of standard input."""
    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
    for line in sys.stdin:
        asked = json.loads(line)
        work = functions[asked.pop("do")]
        start, used = time.perf_counter(), time.process_time()
        try:
            work(**asked)
            print(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used), flush=True)
        except Exception: print(flush=True)


if __name__ == "__main__": report(globals())
