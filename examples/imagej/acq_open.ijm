// Opens a microscope file in ImageJ or Fiji through acq-server, which must run: all channels, focus planes and time points
// with their calibration, and the reference image of a line scan with the path of the laser as its selection.
//
// Plugins > Macros > Run... asks for the file in the server's dialog. From another macro, or from the command line:
//   runMacro("/path/to/acq_open.ijm", "/data/scan.oir");
//   runMacro("/path/to/acq_open.ijm", "scene=2 /data/plate.nd2");                // a scene (series, position), from 1
//   runMacro("/path/to/acq_open.ijm", "http://127.0.0.1:9000 /data/scan.oir");   // a server at another address

var server = "http://127.0.0.1:8767";
var info, session, scene;
var patience = "300";  // seconds without a byte from the server; a file may take two minutes to open

path = getArgument();
scene = 0;
while (startsWith(path, "http://") || startsWith(path, "scene=")) {
  space = indexOf(path + " ", " ");
  word = substring(path, 0, space);
  if (endsWith(word, "/")) word = substring(word, 0, lengthOf(word) - 1);
  if (startsWith(word, "http://")) server = word;
  else scene = parseInt(substring(word, 6));
  if (word != server && !(scene >= 1 && scene == floor(scene)))
    exit("scene_out_of_range: There is no \"" + word + "\"; scenes are counted from 1");
  path = substring(path, minOf(space + 1, lengthOf(path)));
}
choice = "";
if (scene != 0) choice = "\"scene\":" + d2s(scene - 1, 0);
if (path == "") {
  patience = "86400";  // the user chooses
  info = post("/api/v2/pick-and-open", "{" + choice + "}");
  patience = "300";
}
else {
  path = escaped(path);
  if (choice != "") choice = "," + choice;
  info = post("/api/v2/open", "{\"path\":\"" + path + "\"" + choice + "}");
}

session = "/api/v2/sessions/" + value(info, "sessionId");
at = indexOf(info, "\"reference\":");  // the last group of planes in the answer
reference = substring(info, at);
source = substring(info, 0, at);
name = value(source, "name"); sizes = value(source, "sizes");
if (scene != 0) name = name + " scene " + scene;
if (!startsWith(reference, "\"reference\":null")) {
  openPlanes(reference, session + "/reference", name + " reference", "{}");
  drawPath(reference);
}
openPlanes(source, session, name, sizes);
said = exec("curl", "--noproxy", "*", "--connect-timeout", "10", "--speed-limit", "1", "--speed-time", patience, "--silent", "--request", "DELETE", server + session);

// Fetches all planes of a group (the source or the reference) with one curl and shows them as one image.
function openPlanes(group, url, title, sizes) {
  shape = valueAfter(group, "shape", indexOf(group, "\"plane\":"));
  shape = split(shape, "[,]");
  rows = parseInt(shape[0]); columns = parseInt(shape[1]);
  list = substring(group, indexOf(group, "\"channels\":"));
  entries = split(list, "(\"byteLength\":)");
  channels = entries.length - 1; slices = sizeOf(sizes, "Z"); frames = sizeOf(sizes, "T");
  folder = getDirectory("temp") + "acq_" + d2s(random * 1e9, 0) + File.separator;
  File.makeDirectory(folder);
  planes = url + "/channels/[000000-" + IJ.pad(channels - 1, 6) + "]/data";
  if (slices * frames > 1)
    planes += "?z=[000000-" + IJ.pad(slices - 1, 6) + "]&t=[000000-" + IJ.pad(frames - 1, 6) + "]";
  else planes += "?z=[0-0]&t=[0-0]";
  // In the order of an ImageJ stack: channels first, then slices, then frames.
  said = exec("curl", "--noproxy", "*", "--connect-timeout", "10", "--speed-limit", "1", "--speed-time", patience,
    "--silent", "--fail", "--write-out", "%{http_code} %{url_effective}\\n", "--output", folder + "t#3_z#2_c#1.raw", server + planes);
  answers = split(said, "\n");
  missing = newArray(0);
  for (i = 0; i < answers.length; i++) {
    isThere = true;
    if (!startsWith(answers[i], "200 ")) isThere = askAgain(substring(answers[i], 4), folder);
    if (!isThere) missing = Array.concat(missing, substring(answers[i], 4));
  }
  // A plane that was never recorded is NaN in the place of a copy of the first one.
  files = getFileList(folder);
  for (i = 0; i < missing.length; i++) {
    missing[i] = planeFile(missing[i]);
    File.copy(folder + files[0], folder + missing[i]);
  }
  files = getFileList(folder);
  run("Raw...", "open=[" + folder + files[0] + "] image=[32-bit Real] width=" + columns + " height=" + rows
    + " number=1 little-endian open");
  rename(title);
  deleteFolder(folder);
  for (i = 0; i < files.length; i++)
    for (k = 0; k < missing.length; k++)
      if (files[i] == missing[k]) {
        setSlice(i + 1);
        run("Set...", "value=NaN slice");
      }
  calibrate(group, channels, slices, frames);
  for (c = 0; c < channels; c++) {
    name = valueAfter(entries[c], "name", lastIndexOf(entries[c], "\"index\":"));
    for (i = c; i < nSlices; i += channels) {
      setSlice(i + 1);
      setMetadata("Label", name);
    }
  }
  setSlice(1);
  run("Enhance Contrast", "saturated=0.35");
}

// Name of the file of a plane.
function planeFile(url) {
  query = indexOf(url, "?");
  c = substring(url, indexOf(url, "/channels/") + 10, indexOf(url, "/data?"));
  z = substring(url, query + 3, indexOf(url, "&t=")); t = substring(url, indexOf(url, "&t=") + 3);
  return "t" + t + "_z" + z + "_c" + c + ".raw";
}

// Asks for a plane that was refused, as often and as late as a busy server says, into the file that it would have had.
// False where it was never recorded.
function askAgain(url, folder) {
  file = folder + planeFile(url);
  for (tries = 1; tries <= 10; tries++) {
    head = exec("curl", "--noproxy", "*", "--connect-timeout", "10", "--speed-limit", "1", "--speed-time", patience, "--silent", "--dump-header", "-", "--output", file, url);
    seconds = retryAfter(head);
    if (seconds < 0) tries = 10;
    else wait(1000 * seconds);
  }
  if (indexOf(head, " 200 ") < 0) {
    answer = "";
    if (File.exists(file)) answer = File.openAsString(file);
    if (indexOf(answer, "\"plane_not_found\"") >= 0) {
      gone = File.delete(file);
      return false;
    }
    deleteFolder(folder);
    said = exec("curl", "--noproxy", "*", "--connect-timeout", "10", "--speed-limit", "1", "--speed-time", patience, "--silent", "--request", "DELETE", server + session);
    stop(answer);
  }
  return true;
}

function deleteFolder(folder) {
  files = getFileList(folder);
  for (i = 0; i < files.length; i++) gone = File.delete(folder + files[i]);
  gone = File.delete(folder);
}

// Seconds after which a busy server wants to be asked again, -1 where it does not say so or wants more than ten.
function retryAfter(head) {
  lines = split(toLowerCase(head), "\n");
  for (i = 0; i < lines.length; i++) {
    if (startsWith(lines[i], "retry-after:")) {
      seconds = parseInt(String.trim(substring(lines[i], 12)));
      if (seconds >= 0 && seconds <= 10) return seconds;
      return -1;
    }
    if (startsWith(lines[i], "{")) return -1;
  }
  return -1;
}

// Step and unit of rows and columns; a line scan has seconds along y.
function calibrate(group, channels, slices, frames) {
  axes = substring(group, indexOf(group, "\"axes\":"));
  second = indexOf(axes, "\"arrayDimension\":1");
  ySize = value(axes, "step"); yUnit = value(axes, "unit");
  xSize = valueAfter(axes, "step", second); xUnit = valueAfter(axes, "unit", second);
  if (channels * slices * frames > 1)
    run("Stack to Hyperstack...", "order=xyczt(default) channels=" + channels + " slices=" + slices + " frames="
      + frames + " display=Grayscale");
  depth = headerStep("Z");
  setVoxelSize(parseFloat(xSize), parseFloat(ySize), depth, xUnit);
  Stack.setYUnit(yUnit);
  if (frames > 1) Stack.setFrameInterval(headerStep("T"));
}

// Step along an axis of the whole array, 1 where there is none.
function headerStep(axis) {
  dims = value(info, "dims"); steps = value(info, "physicalUnits");
  dims = split(dims, "[,]"); steps = split(steps, "[,]");
  for (i = 0; i < dims.length; i++) if (dims[i] == "\"" + axis + "\"") return parseFloat(steps[i]);
  return 1;
}

// The path of the laser, else the ends of the line, as the selection of the image on top.
function drawPath(group) {
  scan = value(group, "scanPath"); line = value(group, "lineRoi");
  if (scan != "null") {
    x = value(scan, "x"); y = value(scan, "y");
    x = numbers(x); y = numbers(y);
    makeSelection("polyline", x, y);
  }
  else if (line != "null") {
    ends = numbers(line);
    makeLine(ends[0], ends[1], ends[2], ends[3]);
  }
}

function numbers(array) {
  parts = split(array, "[,]");
  for (i = 0; i < parts.length; i++) parts[i] = parseFloat(parts[i]);
  return parts;
}

function sizeOf(sizes, axis) {
  if (indexOf(sizes, "\"" + axis + "\":") < 0) return 1;
  size = value(sizes, axis);
  return parseInt(size);
}

function post(url, body) {
  file = getDirectory("temp") + "acq_" + d2s(random * 1e9, 0) + ".json";
  File.saveString(body, file);
  for (tries = 1; tries <= 10; tries++) {
    answer = exec("curl", "--noproxy", "*", "--connect-timeout", "10", "--speed-limit", "1", "--speed-time", patience, "--silent", "--show-error", "--include", "--header",
      "Content-Type: application/json", "--data-binary", "@" + file, server + url);
    seconds = retryAfter(answer);
    if (seconds < 0) tries = 10;
    else wait(1000 * seconds);
  }
  gone = File.delete(file);
  body = indexOf(answer, "\n{");
  if (body >= 0) answer = substring(answer, body + 1);
  if (!startsWith(answer, "{\"ok\":true")) stop(answer);
  return answer;
}

function stop(answer) {
  if (startsWith(answer, "{\"ok\":false")) {
    code = value(answer, "error"); message = value(answer, "message");
    if (code == "scene_out_of_range") message = fromOne(message);
    exit(code + ": " + message);
  }
  if (startsWith(answer, "{") || startsWith(answer, "HTTP/"))
    exit("no_acq_server: " + server + " answered what no acq-server answers");
  exit("server_unreachable: No acq-server answers at " + server + "\n" + answer);
}

// The server counts scenes from 0 and ends its message with the last one.
function fromOne(message) {
  start = lengthOf(message);
  while (start > 0 && !isNaN(parseInt(substring(message, start - 1, start)))) start--;
  last = parseInt(substring(message, start)) + 1;
  return "There is no scene " + scene + "; there are 1 to " + last;
}

function value(json, key) {
  text = valueAfter(json, key, 0);
  return text;
}

// The value behind the first such key after `from`: a text without its quotes and escapes, else as it is written.
function valueAfter(json, key, from) {
  start = indexOf(json, "\"" + key + "\":", from) + lengthOf(key) + 3;
  end = start; depth = 0; inText = false; isOver = false;
  while (!isOver) {
    c = substring(json, end, end + 1);
    if (inText && c == "\\") end++;
    else if (c == "\"") inText = !inText;
    else if (!inText && (c == "{" || c == "[")) depth++;
    else if (!inText && depth == 0 && (c == "," || c == "}" || c == "]")) isOver = true;
    else if (!inText && (c == "}" || c == "]")) depth--;
    if (!isOver) end++;
  }
  text = substring(json, start, end);
  if (!startsWith(text, "\"")) return text;
  text = substring(text, 1, lengthOf(text) - 1);
  text = unescaped(text);
  return text;
}

// A text as it stands in JSON, in ASCII: what ImageJ writes is in the encoding of the system.
function escaped(text) {
  result = "";
  for (i = 0; i < lengthOf(text); i++) {
    c = substring(text, i, i + 1);
    code = charCodeAt(text, i);
    if (c == "\\" || c == "\"") c = "\\" + c;
    else if (code < 32 || code > 126) c = "\\u" + IJ.pad(toHex(code), 4);
    result = result + c;
  }
  return result;
}

function unescaped(text) {
  result = "";
  for (i = 0; i < lengthOf(text); i++) {
    c = substring(text, i, i + 1);
    if (c == "\\") {
      i++;
      c = substring(text, i, i + 1);
      if (c == "u") {
        c = fromCharCode(parseInt(substring(text, i + 1, i + 5), 16));
        i += 4;
      }
    }
    result = result + c;
  }
  return result;
}
