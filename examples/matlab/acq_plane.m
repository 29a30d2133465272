function plane = acq_plane(a, channel, varargin)
%ACQ_PLANE  A plane as rows x columns of single, with the values of the file.
%   ACQ_PLANE(A, 'CH1') or ACQ_PLANE(A, 1), of what ACQ_OPEN gave; its first time point and focus plane.
%   ACQ_PLANE(A, 1, 't', 3, 'z', 2) at other ones, all from 1: time point, focus plane, wavelength ('l').
%   ACQ_PLANE(A, 1, 't', 1:100) is rows x columns x 100: one of them may be a range, which is one request.
%   ACQ_PLANE(A.reference, 1) of the reference image.
  wanted = channel;
  if ~isnumeric(wanted)
    wanted = char(wanted);  % MATLAB has two kinds of text
    channel = find(strcmp(a.names, wanted), 1);
  end
  if ~isscalar(channel) || ~any(channel == 1:numel(a.names))
    error('acq:channel_not_found', 'There is no channel "%s"; there are 1 to %d: %s', num2str(wanted), ...
      numel(a.names), strjoin(a.names, ', '));
  end
  query = '';
  planes = 1;
  for i = 1:2:numel(varargin)
    if i == numel(varargin) || ~any(strcmp(varargin{i}, {'t', 'z', 'l'}))
      error('acq:unknown_option', 'A position is given as ''t'', ''z'' and ''l'', each with its index');
    end
    count = 1;
    if isfield(a, 'sizes') && isfield(a.sizes, upper(varargin{i}))
      count = a.sizes.(upper(varargin{i}));
    end
    index = varargin{i + 1};
    if isnumeric(index) && numel(index) > 1
      if planes > 1 || ~isequal(index(:), (index(1):index(1) + numel(index) - 1).')
        error('acq:unknown_option', 'One of ''t'', ''z'' and ''l'' may be a range of consecutive indices');
      end
      planes = numel(index);
      range = sprintf('%d-%d', acq_index(index(1), varargin{i}, 'position', count), ...
        acq_index(index(end), varargin{i}, 'position', count));
    else
      range = sprintf('%d', acq_index(index, varargin{i}, 'position', count));
    end
    query = sprintf('%s&%s=%s', query, varargin{i}, range);
  end
  bytes = acq_request(a.server, 'GET', [a.urls{channel} '?' query(2:end)], []);
  if numel(bytes) ~= 4 * prod(a.shape) * planes
    error('acq:wrong_size', '%d bytes came, not %d', numel(bytes), 4 * prod(a.shape) * planes);
  end
  plane = reshape(typecast(bytes, 'single'), [fliplr(reshape(a.shape, 1, [])), planes]);  % row after row, little-endian
  plane = permute(plane, [2 1 3]);
end
