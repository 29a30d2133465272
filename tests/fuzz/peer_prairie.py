#!/usr/bin/env python3
"""Reads the first frame of a scan of Prairie View: its document with the parser of Python, its images with tifffile; see peer.py."""
import os, re
import xml.etree.ElementTree as tree

import tifffile

from peer import answer


def number(text, default=None):
    try: return float((text or "").strip().replace(",", "."))
    except ValueError: return default


def frames(path):
    """The frames of each sequence, each a list of (channel, name of the channel, path, page) in the order of the channels."""
    root = tree.parse(path).getroot()
    if root.tag.rpartition("}")[2] != "PVScan": raise ValueError(f"a document of <{root.tag}>")
    for sequence in root.iterfind("Sequence"):
        line = bool(re.search(r"line\s*scan", sequence.get("type", ""), re.I))
        for frame in sequence.iterfind("Frame"):
            files = {}
            for n, file in enumerate(frame.iterfind("File"), 1):
                name = (file.get("filename") or "").replace("\\", "/").rpartition("/")[2].strip()
                if name == "": continue
                files.setdefault(number(file.get("channel"), n), (file.get("channelName"), os.path.join(os.path.dirname(path), name), int(number(file.get("page"), 1)) - 1))
            yield line, [files[channel] for channel in sorted(files)]


def plane(path, page):
    with tifffile.TiffFile(path) as tiff: return tiff.pages[page].asarray()


def read(path):
    for line, files in frames(path):
        files = [one for one in files if os.path.isfile(one[1])]
        if not files: continue
        planes = [(name, plane(at, page)) for name, at, page in files]
        # Of an interrupted line scan the lines that all channels have.
        rows = min(len(samples) for _, samples in planes)
        return [(name, samples[:rows] if line else samples) for name, samples in planes]
    raise ValueError("no images")


def pages(path):
    """The first page of each image in the folder."""
    found = []
    folder = os.path.dirname(path)
    for name in sorted(os.listdir(folder)):
        if not re.search(r"\.tif$", name): continue
        try: found.append((None, plane(os.path.join(folder, name), 0)))
        except Exception: found.append(None)
    return found


if __name__ == "__main__": answer(read, pages)
