function plane = acq_plane(a, channel, varargin)
%ACQ_PLANE  A plane as rows x columns of single, with the values of the file.
%   ACQ_PLANE(A, 'CH1') or ACQ_PLANE(A, 1), of what ACQ_OPEN gave; its first time point and focus plane.
%   ACQ_PLANE(A, 1, 't', 3, 'z', 2) at other ones, all from 1: time point, focus plane, wavelength ('l').
%   ACQ_PLANE(A.reference, 1) of the reference image.
  if ischar(channel)
    name = channel;
    channel = find(strcmp(a.names, name), 1);
    if isempty(channel)
      error('acq:channel_not_found', 'There is no channel "%s"; there are: %s', name, strjoin(a.names, ', '));
    end
  end
  query = '';
  for i = 1:2:numel(varargin)
    query = sprintf('%s&%s=%d', query, varargin{i}, varargin{i + 1} - 1);
  end
  bytes = acq_request(a.server, 'GET', [a.urls{channel} '?' query(2:end)], []);
  if numel(bytes) ~= 4 * prod(a.shape)
    error('acq:wrong_size', '%d bytes came, not %d', numel(bytes), 4 * prod(a.shape));
  end
  plane = reshape(typecast(bytes, 'single'), fliplr(a.shape)).';  % row after row, little-endian
end
