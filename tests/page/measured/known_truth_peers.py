"""Measures recordings of known_truth_table.ts with IOCBIO Sparks and acqstore, with their default parameters.

Reads a folder of float32 files with a JSON list beside them. IOCBIO Sparks is `iocbio.sparks` on PyPI; acqstore is not
there, so its `diameter_core.py` (it imports NumPy, SciPy and pandas only) is taken from the folder in the second argument.
Without either, its results are null.

usage: python known_truth_peers.py FOLDER [FOLDER_OF_DIAMETER_CORE] > results.json
"""

import json
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
from scipy import ndimage

warnings.simplefilter("ignore")
# IOCBIO Sparks 1.6 calls it by a name that SciPy has dropped.
if not hasattr(ndimage, "measurements"):
    ndimage.measurements = ndimage


class Silent:
    """Stands in for the window, which shows messages and hands out numbers of jobs."""

    def get_id(self):
        return 0

    def __getattr__(self, name):
        return lambda *_, **__: None


def emitting(into=None):
    return SimpleNamespace(emit=lambda *said: None if into is None else into.__setitem__(*said[-2:]))


try:
    import iocbio.sparks.info as info
    import iocbio.sparks.worker as worker
    from iocbio.sparks.calc.auto_detect import get_sparks
    from iocbio.sparks.calc.spark import SparkAnalyzer
    from iocbio.sparks.handler.image import NormalizeImage

    info.infoHub = worker.workPool = Silent()
except ImportError:
    NormalizeImage = None

try:
    sys.path[:0] = sys.argv[2:]
    import diameter_core
except ImportError:
    diameter_core = None


def sparks(plane, line_time, pixel_size):
    """Lines and columns of sparks, as the program keeps them after its automatic detection and clean-up."""
    if NormalizeImage is None:
        return None
    made, facts = {}, {}
    job = NormalizeImage(line_time, pixel_size * 1e-6, data=plane.astype(float))
    job.signals = SimpleNamespace(sigNormalizedImage=emitting(made), sigProperty=emitting(facts))
    job.run_job()
    if "Corrected MeanSD MedBlu" not in made:
        return []
    level, deviation = facts["property: mF0"], facts["property: meansd std_medblu"]
    limits = (job.accept_as_possible_peak, job.accept_as_possible_area, job.min_area, job.det_med_time, job.det_med_space)
    _, regions = get_sparks(made["Corrected MeanSD MedBlu"] - level, deviation, *limits, get_rois=True)
    rows, columns = plane.shape
    beside = round(job.spark_detector_buffer_space / pixel_size)
    around = round(job.spark_detector_buffer_time * 1e-3 / line_time)
    found = []
    for top, left, bottom, right in regions:
        top, left = max(0, top - around), max(0, left - beside)
        bottom, right = min(rows - 1, bottom + around), min(columns - 1, right + beside)
        if top <= 0 or left <= 0 or bottom >= rows - 1 or right >= columns - 1:
            continue
        parts = [
            made[name][top:bottom, left:right].T
            for name in ("Corrected Mean", "Corrected Mean MedBlu", "Corrected MeanSD MedBlu")
        ]
        rest = made["F0"][top:bottom, left:right].T
        told = {}
        spark = SparkAnalyzer(0, *parts, 0, deviation, level, rest, pixel_size, line_time * 1e3, *limits)
        spark.signals = SimpleNamespace(sigStats=emitting(told), sigImage=emitting(), sigGraph=emitting())
        spark.run_job()
        if "space_half_width" in told:
            found.append(
                [top + told["location_time"] / (line_time * 1e3), left + told["location_space"] / pixel_size]
            )
    return found


def diameters(plane, line_time, pixel_size, is_dark):
    """Diameters of each line in columns by both methods, null where there is none."""
    if diameter_core is None:
        return None
    usual = {
        "window_rows_odd": 5,
        "stride": 1,
        "binning_method": "mean",
        "polarity": "dark_on_bright" if is_dark else "bright_on_dark",
        "post_filter_kernel_size": 3,
        "threshold_mode": "half_max",
        "threshold_value": 0.0,
        "gradient_sigma": 1.5,
        "gradient_kernel": "central_diff",
        "gradient_min_edge_strength": 0.02,
        "enable_motion_gating": True,
        "max_edge_shift_um": 2.0,
        "max_diameter_change_um": 2.0,
        "max_center_shift_um": 2.0,
    }
    results = {}
    for name, method in (("half-maximum", "threshold_width"), ("gradient", "gradient_edges")):
        table = diameter_core.run_diameter(
            plane,
            detection_params={**usual, "diameter_method": method},
            physical_units=(line_time, pixel_size),
            use_threads=False,
        ).table
        results[name] = [float(value) if np.isfinite(value) else None for value in table["diameter_px_filt"]]
    return results


def main():
    folder = Path(sys.argv[1])
    results = []
    for what in json.loads((folder / "list.json").read_text()):
        plane = np.fromfile(folder / what["file"], dtype="<f4").reshape(what["shape"])
        steps = (what["lineTime"], what["pixelSize"])
        is_spark = what["kind"] == "sparks"
        results.append(sparks(plane, *steps) if is_spark else diameters(plane, *steps, what["isDark"]))
    json.dump(results, sys.stdout)


main()
