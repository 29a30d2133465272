function plane = acq_plane(a, channel, varargin)
%ACQ_PLANE  A plane as rows x columns of single, with the values of the file.
%   ACQ_PLANE(A, 'CH1') or ACQ_PLANE(A, 1), of what ACQ_OPEN gave; its first time point and focus plane.
%   ACQ_PLANE(A, 1, 't', 3, 'z', 2) at other ones, all from 1: time point, focus plane, wavelength ('l').
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
  for i = 1:2:numel(varargin)
    if i == numel(varargin) || ~any(strcmp(varargin{i}, {'t', 'z', 'l'}))
      error('acq:unknown_option', 'A position is given as ''t'', ''z'' and ''l'', each with its index');
    end
    count = 1;
    if isfield(a, 'sizes') && isfield(a.sizes, upper(varargin{i}))
      count = a.sizes.(upper(varargin{i}));
    end
    query = sprintf('%s&%s=%d', query, varargin{i}, acq_index(varargin{i + 1}, varargin{i}, 'position', count));
  end
  bytes = acq_request(a.server, 'GET', [a.urls{channel} '?' query(2:end)], []);
  if numel(bytes) ~= 4 * prod(a.shape)
    error('acq:wrong_size', '%d bytes came, not %d', numel(bytes), 4 * prod(a.shape));
  end
  plane = reshape(typecast(bytes, 'single'), fliplr(a.shape)).';  % row after row, little-endian
end
