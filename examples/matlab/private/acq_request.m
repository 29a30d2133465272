function bytes = acq_request(server, method, url, body)
%ACQ_REQUEST  The bytes of an answer. MATLAB asks by itself, Octave through curl. A busy server is asked again
%when it says (Retry-After).
  server = regexprep(char(server), '/+$', '');
  if isempty(regexp([server url], '^(https?://)?[\w\[][-\w.~:/?&=%\[\]+,]*$', 'once'))
    % It becomes a part of a command, and the paths in it come from whoever answers.
    error('acq:server_unreachable', 'The address "%s" is no address of a server', [server url]);
  end
  for tries = 1:10
    if exist('OCTAVE_VERSION', 'builtin')
      [bytes, status, wait] = by_curl(method, [server url], body);
    else
      [bytes, status, wait] = by_matlab(method, [server url], body);
    end
    if status ~= 503 || isempty(wait) || ~(wait >= 0 && wait <= 10)  % a server that wants more gets no repetition
      break
    end
    pause(wait)
  end
  if status < 200 || status >= 300
    try
      answer = jsondecode(native2unicode(bytes, 'UTF-8'));
      [code, message] = deal(['acq:' answer.error], answer.message);
    catch
      [code, message] = deal('acq:no_acq_server', sprintf('%s answered %d and is not an acq-server', server, status));
    end
    error(code, '%s', message);
  end
end

function [bytes, status, wait] = by_matlab(method, url, body)
  import matlab.net.http.*
  request = RequestMessage(method);
  if ~isempty(body)
    request = RequestMessage(method, HeaderField('Content-Type', 'application/json'), MessageBody(body));
  end
  options = HTTPOptions('ConvertResponse', false, 'UseProxy', false, 'ConnectTimeout', 10);
  if ~waits_for_user(url) && isprop(options, 'ResponseTimeout')  % older ones wait for ever
    [options.ResponseTimeout, options.DataTimeout] = deal(300);
  end
  try
    response = request.send(url, options);
  catch cause
    error('acq:server_unreachable', 'No acq-server answers at %s (%s)', url, cause.message);
  end
  bytes = response.Body.Data;
  if ~isa(bytes, 'uint8')
    bytes = unicode2native(char(bytes), 'UTF-8');
  end
  bytes = bytes(:).';
  status = double(response.StatusCode);
  wait = [];
  field = response.getFields('Retry-After');
  if ~isempty(field)
    wait = str2double(field(1).Value);
  end
end

function [bytes, status, wait] = by_curl(method, url, body)
  [sent, received, head] = deal(tempname(), tempname(), tempname());
  gone = onCleanup(@() cellfun(@(file) exist(file, 'file') && delete_file(file), {sent, received, head}));
  data = '';
  if ~isempty(body)
    write(sent, jsonencode(body));
    data = sprintf('--header "Content-Type: application/json" --data-binary "@%s"', sent);
  end
  limits = '--connect-timeout 10';
  if ~waits_for_user(url)
    limits = [limits ' --speed-limit 1 --speed-time 300'];  % seconds without a byte; a file may take two minutes to open
  end
  command = sprintf('curl --silent --show-error --noproxy "*" %s --request %s %s --output "%s" --dump-header "%s" --write-out "%%{http_code}" "%s" 2>&1', ...
    limits, method, data, received, head, url);
  [failed, said] = system(command);
  if any(failed == [18 28 56])  % of curl: the answer ended early
    error('acq:connection_lost', 'The connection to %s ended within an answer', url);
  elseif failed
    error('acq:server_unreachable', 'No acq-server answers at %s (%s)', url, strtrim(said));
  end
  status = str2double(said);
  seconds = regexp(fileread(head), '(?i)^retry-after: *(\d+)', 'tokens', 'once', 'lineanchors');
  wait = str2double(seconds);
  file = fopen(received);
  bytes = fread(file, Inf, 'uint8=>uint8').';
  fclose(file);
end

function waits = waits_for_user(url)
  waits = ~isempty(regexp(url, '/pick-and-open$', 'once'));
end

function write(name, text)
  file = fopen(name, 'w');
  fwrite(file, unicode2native(text, 'UTF-8'));
  fclose(file);
end

function done = delete_file(name)
  delete(name);
  done = true;
end
