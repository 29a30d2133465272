"""What examples/python/acq_client.py does beside fetching planes: python acq_client_cases.py FOLDER_OF_CLIENT SERVER EXAMPLES FIXTURES"""
import contextlib
import http.server
import importlib.util
import json
import os
import socket
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings

import numpy as np

sys.path.insert(0, sys.argv[1])
import acq_client as acq

acq.SERVER, EXAMPLES, FIXTURES = sys.argv[2:5]
SCAN, SERIES = EXAMPLES + "/line_scan.oir", EXAMPLES + "/time_series.ome.tif"


@contextlib.contextmanager
def answering(*answers):
    """A server that gives these answers, (status, headers, body), one after the other, and the last for ever."""

    class Handler(http.server.BaseHTTPRequestHandler):
        asked = []

        def do_POST(self):
            self.asked.append(self.path)
            status, headers, body = answers[min(len(self.asked), len(answers)) - 1]
            self.send_response(status)
            for name, value in {"Content-Length": len(body), **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_DELETE = do_POST

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", Handler.asked
        finally:
            server.shutdown()


def failure(code, message="x"):
    return json.dumps({"ok": False, "error": code, "message": message, "details": None}).encode()


class Client(unittest.TestCase):
    def fails(self, code):
        test = self

        class Expected:
            def __enter__(self):
                return self

            def __exit__(self, _type, error, _trace):
                test.assertIsInstance(error, acq.AcqError)
                test.assertEqual(error.code, code)
                self.error = error
                return True

        return Expected()

    def test_planes_by_name_and_index(self):
        with acq.open(SCAN) as a:
            self.assertEqual(a.names, ["CH1", "CH2"])
            self.assertEqual(a["CH2"].dtype, np.float32)
            np.testing.assert_array_equal(a["CH2"], a[1])
            np.testing.assert_array_equal(a.array(), np.stack([a[0], a[1]]))
            self.assertEqual(len(a), 2)
            a[0][0, 0] = 1  # the plane is the caller's own
            with self.assertRaises(KeyError):
                a["CH3"]
            with self.assertRaises(IndexError):
                a[2]

    def test_axes_reference_and_metadata(self):
        with acq.open(SCAN) as a:
            y, x = a.axes
            self.assertEqual((y.name, y.size, y.step, y.unit), ("Y", 600, 0.002118, "seconds"))
            self.assertAlmostEqual(x.values[-1], 47 * 0.45)
            self.assertEqual(a.sizes, {"C": 2, "Y": 600, "X": 48})
            self.assertEqual(a.reference[0].shape, (128, 128))
            self.assertEqual(a.reference.scan_path.tolist(), [[40, 30], [80, 55]])
            self.assertTrue(any("<" in text for text in a.metadata().values()))
            self.assertIn("line_scan.oir", repr(a))

    def test_positions(self):
        with acq.open(SERIES) as a:
            self.assertIsNone(a.reference)
            at3 = a.at(t=3)
            self.assertFalse(np.array_equal(at3[0], a[0]))
            np.testing.assert_array_equal(a.at()[0], a[0])
            with self.fails("position_out_of_range"):
                a.at(t=12)[0]

    def test_a_closed_acquisition(self):
        a = acq.open(SCAN)
        a.close()
        a.close()
        with self.fails("session_not_found"):
            a[0]

    def test_errors_of_the_server(self):
        with self.fails("path_not_found") as expected:
            acq.open("no_such_file.tif")
        self.assertIn("no_such_file.tif", expected.error.message)
        with self.fails("scene_out_of_range"):
            acq.open(SCAN, scene=1)
        with self.fails("request_validation_failed") as expected:
            acq.open(SCAN, scene=-1)
        self.assertEqual(expected.error.details[0]["location"], ["body", "scene"])

    def test_scenes(self):
        with acq.open(SCAN, scene=np.int64(0)) as a, a.scene(np.int64(0)) as b, a.scene(a.scenes[0]) as c:
            np.testing.assert_array_equal(b[0], a[0])
            np.testing.assert_array_equal(c[0], a[0])
            with self.assertRaisesRegex(KeyError, "no scene 'x'; there are"):
                a.scene("x")

    def test_no_server(self):
        with self.fails("server_unreachable"):
            acq.open(SCAN, server="http://127.0.0.1:9")
        for address in ("127.0.0.1:8767", "localhost:8767", "https://127.0.0.1:9", "http://127.0.0.1:x"):
            with self.subTest(address), self.fails("server_unreachable"):
                acq.open(SCAN, server=address)

    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "archive.zip")
            with acq.open(SERIES) as a:
                acq.export([a, SCAN, {"path": SCAN, "name": "again", "accepted": True}], archive, name="All")
                with acq.open(archive) as b:
                    self.assertEqual([*b.scenes][1:], ["line_scan.oir", "again"])
                    self.assertEqual(b.collection["name"], "All")
                    np.testing.assert_array_equal(a.at(t=1).array(), b.at(t=1).array())
                    with b.scene("again") as c:
                        self.assertTrue(c.collection["member"]["accepted"])
            other = os.path.join(folder, "other.zip")
            with self.assertRaises(acq.AcqError) as caught:
                acq.export(folder + "/missing.tif", other)
            with self.assertRaises(FileNotFoundError):
                acq.export(SCAN, os.path.join(folder, "missing", "archive.zip"))
            self.assertEqual(caught.exception.code, "path_not_found")
            self.assertEqual(os.listdir(folder), ["archive.zip"])

    def test_stack(self):
        with acq.open(SERIES) as a:
            expected = np.stack([a.at(t=t)[0] for t in range(12)])
            np.testing.assert_array_equal(a.stack(0, t=slice(None)), expected)
            np.testing.assert_array_equal(a.stack(a.names[0], t=slice(3, -2), z=0), expected[3:10])
            np.testing.assert_array_equal(a.stack(0, z=slice(0, 9), t=5), expected[5:6])
            self.assertEqual(a.stack(0, t=slice(5, 5)).shape, (0, 48, 64))
            for wrong in ({}, {"t": 1}, {"t": slice(0, 2), "z": slice(0, 1)}, {"t": slice(0, 9, 2)}):
                with self.assertRaises(ValueError):
                    a.stack(0, **wrong)
            with self.assertRaises(KeyError):
                a.stack("CH9", t=slice(0, 2))

    def test_stack_with_planes_that_are_missing_when_read(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with acq.open(FIXTURES + "/nd2/zlib.nd2") as a:  # frame 2 has no chunk
                for first in (0, 2):
                    stack = a.stack(0, t=slice(first, None))
                    missing = np.isnan(stack).all(axis=(1, 2)).tolist()
                    self.assertEqual(missing, [t == 2 for t in range(first, a.sizes["T"])])

    def test_stack_with_missing_planes(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with acq.open(FIXTURES + "/hdf5/gap.ims") as a:  # time point 1 lacks channel 1
                stack = a.stack("CH2", t=slice(None))
                self.assertEqual(np.isnan(stack).all(axis=(1, 2)).tolist(), [False, True])
                np.testing.assert_array_equal(stack[0], a[1])
                self.assertFalse(np.isnan(a.stack("CH1", t=slice(None))).any())
                with self.fails("plane_not_found") as expected:
                    a.at(t=1)["CH2"]
                self.assertEqual(expected.error.missing, [])

    def test_a_stack_whose_gap_shows_late(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with acq.open(FIXTURES + "/nd2/zlib.nd2") as a:  # compressed frames: the third is missing
                stack = a.stack(0, t=slice(None))
                self.assertEqual(np.isnan(stack).all(axis=(1, 2)).tolist(), [False, False, True, False])
                np.testing.assert_array_equal(stack[3], a.at(t=3)[0])

    def test_a_channel_that_does_not_exist(self):
        with acq.open(SCAN) as a:
            for channel, kind, words in (
                (7, IndexError, "there is no channel 7; there are 0 to 1: ['CH1', 'CH2']"),
                (-3, IndexError, "there is no channel -3; there are 0 to 1: ['CH1', 'CH2']"),
                ("GCaMP", KeyError, "there is no channel 'GCaMP'; there are ['CH1', 'CH2']"),
            ):
                with self.assertRaises(kind) as raised:
                    a[channel]
                self.assertEqual(raised.exception.args, (words,))
            np.testing.assert_array_equal(a[-1], a["CH2"])
            np.testing.assert_array_equal(a[np.int64(1)], a["CH2"])

    def test_a_missing_package_is_named(self):
        with acq.open(SCAN) as a:
            for module, call, words in (
                ("dask.array", a.dask, 'this needs dask: pip install "dask[array]"'),
                ("xarray", a.xarray, 'this needs xarray: pip install "xarray"'),
                ("xarray", a.at().xarray, 'this needs xarray: pip install "xarray"'),
            ):
                with unittest.mock.patch.dict(sys.modules, {module: None}):
                    with self.assertRaises(ImportError) as raised:
                        call()
                self.assertEqual(str(raised.exception), words)

    def test_what_is_public(self):
        names = {name for name, value in vars(acq).items() if not name.startswith("_") and getattr(value, "__module__", None) == acq.__name__}
        self.assertLessEqual(names, {*acq.__all__})
        self.assertTrue(all(hasattr(acq, name) for name in acq.__all__))

    @unittest.skipUnless(importlib.util.find_spec("dask"), "dask is not installed")
    def test_dask(self):
        with acq.open(SERIES) as a:
            stack = a.dask()
            expected = np.stack([a.at(t=t).array() for t in range(a.sizes["T"])])
        self.assertEqual(stack.shape, expected.shape)
        np.testing.assert_array_equal(stack.compute(), expected)
        for held in acq._held.values():  # as if the server had forgotten it
            held.close()
        np.testing.assert_array_equal(stack.compute(), expected)

    def test_list(self):
        entries = acq.list(FIXTURES + "/oif")
        self.assertIn(("section.oif", FIXTURES + "/oif/section.oif", "image", "oif"), [e[:4] for e in entries])
        self.assertEqual([e.name for e in entries], sorted(e.name for e in entries))
        section = next(e for e in entries if e.name == "section.oif")
        folder = section.path + ".files"
        files = [section.path, *(os.path.join(folder, name) for name in os.listdir(folder))]
        self.assertEqual(section.bytes, sum(os.path.getsize(file) for file in files))
        latest = max(os.stat(file).st_mtime for file in files)
        self.assertAlmostEqual(section.modified.timestamp(), latest, delta=0.001)
        with acq.open(section.path) as a:
            self.assertEqual(a.info["source"]["format"], section.format)
        self.assertEqual({"section.oif"}, {e.name for e in acq.list(FIXTURES + "/oif", contains="SECTION.")})
        with self.fails("unsupported_format"):
            acq.list(SCAN)
        with answering((200, {}, b'{"ok": true}')) as (server, _), self.fails("no_acq_server"):
            acq.list("/data", server=server)
        more = b'{"ok": true, "path": "/data", "entries": [], "truncated": true}'
        with answering((200, {}, more)) as (server, _), self.assertWarns(acq.AcqWarning):
            self.assertEqual(acq.list("/data", server=server), [])

    def test_another_program_at_the_address(self):
        bodies = (b"<html>", b"\xff\xfe", b"", b"[]", b'"x"', b"{}", b'{"ok": true}', b'{"error": {}, "message": "x"}')
        for status, body in ((status, body) for status in (200, 302, 404) for body in bodies):
            with self.subTest(status=status, body=body), answering((status, {}, body)) as (server, _):
                with self.fails("no_acq_server"):
                    acq.open(SCAN, server=server)

    def test_a_server_below_a_prefix(self):
        with answering((404, {}, failure("path_not_found"))) as (server, asked), self.fails("path_not_found"):
            acq.open(SCAN, server=server + "/user/me/")
        self.assertEqual(asked, ["/user/me/api/v2/open"])

    def test_a_dialog_that_is_closed(self):
        with answering((200, {}, failure("cancelled"))) as (server, _), self.fails("cancelled"):
            acq.pick(server=server)

    def test_tries_again_when_the_server_says_so(self):
        busy, gone = (503, {"Retry-After": 0}, failure("too_many_opens")), (404, {}, failure("path_not_found"))
        with answering(busy, busy, gone) as (server, asked):
            with self.fails("path_not_found"):
                acq.open(SCAN, server=server)
            self.assertEqual(len(asked), 3)
        with answering(busy) as (server, asked):
            with self.fails("too_many_opens"):
                acq.open(SCAN, server=server)
            self.assertEqual(len(asked), acq.TRIES)

    def test_waits_no_longer_than_is_sensible(self):
        for wait in ("11", "1e9", "-1", "nan", "inf", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"):
            busy = (503, {"Retry-After": wait}, failure("too_many_opens"))
            with self.subTest(wait), answering(busy) as (server, asked), self.fails("too_many_opens"):
                acq.open(SCAN, server=server)
            self.assertEqual(len(asked), 1)

    def test_a_server_that_is_silent(self):
        before, acq.TIMEOUT = acq.TIMEOUT, 0.2
        self.addCleanup(setattr, acq, "TIMEOUT", before)
        # It takes connections and says nothing.
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with self.fails("server_unreachable"):
                acq.open(SCAN, server=f"http://127.0.0.1:{silent.getsockname()[1]}")
        # It begins to answer.
        with answering((200, {"Content-Length": 1000}, b"1234")) as (server, _), self.fails("connection_lost"):
            acq.open(SCAN, server=server)

    @unittest.skipIf(os.name == "nt", "links need a privilege")
    def test_an_export_follows_no_link(self):
        with tempfile.TemporaryDirectory() as folder:
            archive, other = os.path.join(folder, "archive.zip"), os.path.join(folder, "other")
            with open(other, "w") as file:
                file.write("kept")
            os.symlink(other, archive + ".part")
            os.symlink(other, archive)
            acq.export(SCAN, archive)
            with open(other) as file:
                self.assertEqual(file.read(), "kept")
            self.assertFalse(os.path.islink(archive))
            self.assertEqual(sorted(os.listdir(folder)), ["archive.zip", "archive.zip.part", "other"])

    def test_a_plane_that_is_cut_or_of_another_size(self):
        with acq.open(SCAN) as a:
            size = a[0].nbytes
            with answering((200, {"Content-Length": size}, b"1234")) as (server, _):
                with self.fails("connection_lost"):
                    acq.Planes(server, a.info["plane"], a.info["channels"], {})[0]
            with answering((200, {}, b"1234")) as (server, _), self.fails("wrong_size"):
                acq.Planes(server, a.info["plane"], a.info["channels"], {})[0]

    def test_warnings_of_the_file(self):
        with acq.open(SCAN) as a:
            told = {**a.info, "warnings": ["a file is missing"], "warningCodes": ["file_missing"]}
        with answering((200, {}, json.dumps(told).encode())) as (server, _):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", acq.AcqWarning)
                acq.open(SCAN, server=server)
        self.assertEqual([str(one.message) for one in caught if one.category is acq.AcqWarning], ["a file is missing"])
        self.assertEqual(caught[0].message.code, "file_missing")
        self.assertEqual(caught[0].filename, __file__)

    @unittest.skipUnless(importlib.util.find_spec("xarray"), "xarray is not installed")
    def test_xarray(self):
        with acq.open(SERIES) as a:
            array = a.xarray()  # without dask fetched at once
            self.assertEqual((array.dims, array.shape), (("T", "C", "Y", "X"), (12, 1, 48, 64)))
            np.testing.assert_array_equal(array.isel(T=3, C=0), a.at(t=3)[0])
            np.testing.assert_array_equal(array["T"], np.arange(12) * 0.5)
            self.assertEqual(array["T"].attrs["units"], "seconds")
            self.assertEqual(a.at(t=3).xarray().dims, ("C", "Y", "X"))
        with acq.open(SCAN) as a:
            array = a.xarray()
            np.testing.assert_array_equal(array.sel(C="CH2"), a["CH2"])
            self.assertEqual(array.Y.attrs["units"], "seconds")
            self.assertAlmostEqual(float(array.X[-1]), 47 * 0.45)
            self.assertEqual(array.attrs["secondsPerLine"], 0.002118)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
