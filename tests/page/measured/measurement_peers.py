"""Measures recordings of measurement_table.ts with SciPy: reads a folder of float32 files with a JSON list beside them.

usage: python measurement_peers.py FOLDER > results.json
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import ndimage, signal

warnings.simplefilter("ignore")


def diameters(plane, window):
    """Full width at half of the prominence of the highest peak of each smoothed mean."""
    found = []
    for start in range(0, len(plane) - window + 1, window):
        profile = ndimage.gaussian_filter1d(plane[start : start + window].mean(axis=0).astype(float), 1)
        peak = [int(np.argmax(profile))]
        found.append(float(signal.peak_widths(profile, peak, rel_height=0.5)[0][0]))
    return found


def heart_rate(trace, step):
    """Beats per second at the highest power of the periodogram, above two beats in the trace; gaps are interpolated."""
    good = np.isfinite(trace)
    filled = np.interp(np.arange(len(trace)), np.flatnonzero(good), trace[good])
    frequencies, powers = signal.periodogram(filled, 1 / step, detrend="linear", nfft=16 * len(trace))
    powers[frequencies < 2 / (len(trace) * step)] = 0
    return float(frequencies[np.argmax(powers)])


def flux(plane):
    """Dips of the middle columns with a prominence of half of their range."""
    middle = plane.shape[1] // 2
    trace = -ndimage.gaussian_filter1d(plane[:, middle - 1 : middle + 2].mean(axis=1).astype(float), 1)
    low, high = np.percentile(trace, [5, 95])
    return len(signal.find_peaks(trace, prominence=(high - low) / 2)[0])


def sparks(plane):
    """Areas of the smoothed change above 3.8 standard deviations, as by SparkMaster; widths at half of the raw maximum."""
    change = plane / np.median(plane, axis=0) - 1
    smooth = ndimage.median_filter(ndimage.uniform_filter(change, 5), 3)
    rest = smooth[np.abs(smooth) < 3 * smooth.std()]
    labels, count = ndimage.label(smooth > rest.mean() + 3.8 * rest.std())
    found = []
    for area, where in enumerate(ndimage.find_objects(labels), 1):
        if (labels[where] == area).sum() < 12:
            continue
        masked = np.where(labels == area, smooth, -np.inf)
        line, column = np.unravel_index(np.argmax(masked), smooth.shape)
        width = signal.peak_widths(smooth[line], [column], rel_height=0.5)[0][0]
        duration = signal.peak_widths(smooth[:, column], [line], rel_height=0.5)[0][0]
        found.append([int(line), int(column), float(width), float(duration)])
    return found


def main():
    folder = Path(sys.argv[1])
    results = []
    for what in json.loads((folder / "list.json").read_text()):
        samples = np.fromfile(folder / what["file"], dtype="<f4")
        if what["kind"] == "heart":
            results.append(heart_rate(samples, what["step"]))
            continue
        plane = samples.reshape(what["shape"])
        measure = {"diameter": lambda p: diameters(p, 10), "flux": flux, "sparks": sparks}[what["kind"]]
        results.append(measure(plane))
    json.dump(results, sys.stdout)


main()
