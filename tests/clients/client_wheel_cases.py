"""The installed package acq-client with napari and xarray: python client_wheel_cases.py SERVER EXAMPLES FIXTURES"""
import sys
import unittest.mock
import warnings
from importlib.metadata import entry_points
from importlib.resources import files

import numpy as np
from napari.components import ViewerModel
from napari.layers import Layer
from npe2 import PluginManager, read
from npe2.cli import app

import acq_client as acq

acq.SERVER, EXAMPLES, FIXTURES = sys.argv[1:4]
SCAN, STACK = EXAMPLES + "/line_scan.oir", FIXTURES + "/lsm/series_tzc.lsm"


def shown(path):
    """The layers of a file by their names, as napari shows what the plugin reads."""
    viewer = ViewerModel()
    for layer in read([path], stack=False, plugin_name="acq-client"):
        viewer.add_layer(Layer.create(*layer))
    return {layer.name: layer for layer in viewer.layers}


PluginManager.instance().discover()


def units(layer):
    return [str(unit) for unit in layer.units]


class Package(unittest.TestCase):
    def test_the_manifest(self):
        with self.assertRaises(SystemExit) as ended:
            app(["validate", "acq-client"])
        self.assertEqual(ended.exception.code, 0)
        self.assertEqual(len(entry_points(group="napari.manifest", name="acq-client")), 1)
        self.assertTrue(files("acq_client").joinpath("py.typed").is_file())

    def test_a_stack(self):
        layers = shown(STACK)
        self.assertEqual([*layers], ["Ch1-T1", "ChS1-T2"])
        with acq.open(STACK) as a:
            for channel, layer in enumerate(layers.values()):
                self.assertEqual(layer.data.shape, (3, 2, 9, 13))  # T, Z, Y, X
                for t, z in np.ndindex(3, 2):
                    np.testing.assert_array_equal(np.asarray(layer.data[t, z]), a.at(t=t, z=z)[channel])
                # Steps of tests/fixtures/lsm/expected.json.
                np.testing.assert_allclose(layer.scale, (0.5, 0.3, 0.2, 0.1))
                self.assertEqual(units(layer), ["second", "micrometer", "micrometer", "micrometer"])
                self.assertEqual(layer.axis_labels, ("T", "Z", "Y", "X"))
                self.assertEqual(layer.blending, "additive")

    def test_a_line_scan_is_no_strip(self):
        layers = shown(SCAN)
        self.assertEqual([*layers], ["CH1", "CH2", "reference CH1", "reference CH2", "scan path"])
        with acq.open(SCAN) as a:
            np.testing.assert_array_equal(np.asarray(layers["CH2"].data), a["CH2"])
            np.testing.assert_array_equal(layers["reference CH2"].data, a.reference["CH2"])
        for layer in layers.values():
            self.assertEqual(units(layer), ["pixel", "pixel"])
            np.testing.assert_array_equal(layer.scale, (1, 1))
        self.assertEqual(layers["CH1"].metadata["axes"]["Y"], [0.002118, "seconds"])
        path = layers["scan path"]
        # (40, 30) to (80, 55) as x, y of the file.
        np.testing.assert_array_equal(path.data[0], [[30, 40], [55, 80]])
        np.testing.assert_array_equal(path.translate, layers["reference CH1"].translate)
        self.assertLess(layers["reference CH1"].extent.world[1, 1], 0)  # ends left of the scan

    def test_a_missing_plane(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", acq.AcqWarning)
            (layer,) = shown(FIXTURES + "/nd2/zlib.nd2").values()
            self.assertTrue(np.isnan(np.asarray(layer.data[2])).all())
            self.assertTrue(np.isfinite(np.asarray(layer.data[3])).all())

    def test_xarray(self):
        with acq.open(STACK) as a:
            array = a.xarray()
            stack = np.array([[a.at(t=t, z=z).array() for z in range(2)] for t in range(3)])  # T, Z, C, Y, X
        self.assertEqual(array.dims, ("T", "C", "Z", "Y", "X"))
        self.assertIsNotNone(array.chunks)
        np.testing.assert_array_equal(array.transpose("T", "Z", "C", "Y", "X").values, stack)
        with unittest.mock.patch.dict(sys.modules, {"dask.array": None}), acq.open(STACK) as a:
            eager = a.xarray()
        self.assertTrue(eager.identical(array.compute()))
        np.testing.assert_array_equal(array["T"], [0, 0.5, 2.25])  # time stamps, not steps
        np.testing.assert_allclose(array["X"], np.arange(13) * 0.1)
        self.assertEqual([array[axis].attrs["units"] for axis in "TZYX"], ["seconds", "um", "um", "um"])
        self.assertEqual([*array["C"].values], ["Ch1-T1", "ChS1-T2"])
        self.assertEqual((array.name, array.attrs["format"], array.attrs["scene"]), ("series_tzc.lsm", "lsm", "Scene 1"))
        with acq.open(SCAN) as a:
            self.assertEqual(a.xarray().attrs["secondsPerLine"], 0.002118)
            self.assertEqual(a.at().xarray().dims, ("C", "Y", "X"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
