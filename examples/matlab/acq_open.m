function a = acq_open(path, varargin)
%ACQ_OPEN  Open a microscope file through acq-server, which must run.
%   A = ACQ_OPEN(PATH) opens the file at an absolute path. PATH '' shows the file dialog.
%   A = ACQ_OPEN(PATH, 'scene', N) opens scene (series, position) N, from 1.
%   A = ACQ_OPEN(..., 'server', 'http://127.0.0.1:8767') asks at another address.
%
%   A.names      names of the channels; ACQ_PLANE(A, A.names{1}) is the first plane
%   A.sizes      such as T: 12, C: 2, Y: 512, X: 512
%   A.axes       rows, then columns: name, size, step, unit
%   A.reference  overview image of a line scan, or []; ACQ_PLANE(A.reference, 1) is its plane and
%                A.reference.scanPath the points x, y where the laser went, as PLOT takes them over the image
%   A.info       all that the server said
%
%   An error has the identifier 'acq:' and the code of the server, such as 'acq:path_not_found'.
%   Close it with ACQ_CLOSE(A); the server forgets it after ten minutes in any case.
%
%   See also ACQ_PLANE, ACQ_SHOW, ACQ_CLOSE.
  options = struct('scene', [], 'server', 'http://127.0.0.1:8767');
  for i = 1:2:numel(varargin)
    if i == numel(varargin) || ~any(strcmp(varargin{i}, {'scene', 'server'}))
      error('acq:unknown_option', 'The options of acq_open are ''scene'' and ''server'', each with its value');
    end
    options.(varargin{i}) = varargin{i + 1};
  end
  path = char(path);  % MATLAB has two kinds of text
  body = struct();
  url = '/api/v2/pick-and-open';
  if ~isempty(options.scene)
    body.scene = acq_index(options.scene, 'scene', 'scene', Inf);
  end
  if ~isempty(path)
    body.path = path;
    url = '/api/v2/open';
  end
  try
    info = acq_json(options.server, 'POST', url, body);
  catch failure
    if strcmp(failure.identifier, 'acq:scene_out_of_range')
      last = regexp(failure.message, '\d+(?=\D*$)', 'match', 'once');  % the server counts from 0
      acq_index(options.scene, 'scene', 'scene', str2double(last) + 1);
    end
    rethrow(failure);
  end
  if ~isfield(info, 'sessionId')
    error('acq:no_acq_server', '%s answered what no acq-server answers', options.server);
  end
  a = acq_group(options.server, info);
  a.info = info;
  a.sizes = info.header.sizes;
  a.times = info.times(:);
  a.scenes = {info.scenes.name};
  a.reference = [];
  if ~isempty(info.reference)
    a.reference = acq_group(options.server, info.reference);
    a.reference.scanPath = acq_points(info.reference);
  end
  for i = 1:numel(info.warnings)
    warning('acq:file', '%s', info.warnings{i});
  end
end

function points = acq_points(reference)
  % Pixels are counted from 0 by the server and from 1 here.
  points = [];
  if ~isempty(reference.scanPath)
    points = [reference.scanPath.x(:), reference.scanPath.y(:)] + 1;
  elseif ~isempty(reference.lineRoi)
    points = reshape(reference.lineRoi, 2, 2).' + 1;
  end
end
