// Opens a file with examples/imagej/acq_open.ijm and writes what is open: argument "MACRO|OUT|ARGUMENT OF THE MACRO".
parts = split(getArgument(), "|");
runMacro(parts[0], parts[2]);
file = File.open(parts[1] + File.separator + "open.txt");
for (i = 1; i <= nImages; i++) {
  selectImage(i);
  getDimensions(width, height, channels, slices, frames);
  getVoxelSize(x, y, z, unit);
  print(file, getTitle());
  print(file, "" + width + " " + height + " " + channels + " " + slices + " " + frames + " " + bitDepth());
  print(file, "" + x + " " + y + " " + z + " " + Stack.getFrameInterval());
  labels = "";
  for (s = 1; s <= nSlices; s++) {
    setSlice(s);
    labels = labels + getMetadata("Label") + " ";
  }
  print(file, labels);
  selection = "";
  if (selectionType() >= 0) {
    getSelectionCoordinates(xs, ys);
    for (k = 0; k < xs.length; k++) selection = selection + xs[k] + "," + ys[k] + " ";
  }
  print(file, selection);
  run("Select None");
  saveAs("Tiff", parts[1] + File.separator + i + ".tif");
  saveAs("Raw Data", parts[1] + File.separator + i + ".raw");
}
File.close(file);
run("Quit");
