"""Writes published.json: velocities of the windows of velocities.json by two published methods, from other implementations.

radon: the Radon transform of scikit-image of the whole window, padded with zeros, in steps of 1 degree, then of 0.25
within 2 degrees (Drew et al. 2010).
piv: correlation of lines 5 lines apart with the FFT of NumPy, over the square root of its size, averaged over the window,
and a Gaussian on a level fitted by SciPy (Kim et al. 2012).

usage: python make_published.py    (needs numpy, scipy and scikit-image)
"""

import base64
import json
import pathlib

import numpy as np
import scipy
import skimage
from scipy.optimize import curve_fit
from skimage.transform import radon

HERE = pathlib.Path(__file__).parent
LINES = 5


def by_radon(picture):
    centred = picture - picture.mean()

    def best(angles):
        return angles[np.argmax(radon(centred, theta=angles, circle=False).var(axis=0))]

    coarse = best(np.arange(-89.0, 91.0, 1))
    return float(np.tan(np.radians(best(np.arange(coarse - 2, coarse + 2.01, 0.25)))))


def by_piv(picture):
    moving = picture - picture.mean(axis=0)
    spectra = np.fft.fft(moving, axis=1)
    product = np.conj(spectra[:-LINES]) * spectra[LINES:]
    weighted = product / np.sqrt(np.abs(product))
    correlation = np.fft.fftshift(np.fft.ifft(weighted, axis=1).real.mean(axis=0))
    correlation /= correlation.max()
    top = int(np.argmax(correlation))

    def gaussian(place, height, middle, width, level):
        return height * np.exp(-(((place - middle) / width) ** 2)) + level

    places = np.arange(len(correlation))
    bounds = ([0, 0, 0.1, 0], [1e9, len(correlation), 100, 1])
    (_, middle, _, _), _ = curve_fit(gaussian, places, correlation, p0=[1, top, 10, 0.1], bounds=bounds)
    return float((middle - len(correlation) // 2) / LINES)


windows = json.loads((HERE / "velocities.json").read_text())
size = windows["size"]
cases = []
for case in windows["cases"]:
    picture = np.frombuffer(base64.b64decode(case["samples"]), np.uint8).reshape(size, size).astype(float)
    cases.append({"radon": round(by_radon(picture), 5), "piv": round(by_piv(picture), 5)})
    print(case["velocity"], case["noise"], cases[-1])
made = {"by": f"scikit-image {skimage.__version__}, scipy {scipy.__version__}", "cases": cases}
(HERE / "published.json").write_text(json.dumps(made, indent=1) + "\n")
