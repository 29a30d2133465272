function answer = acq_json(server, method, url, body)
%ACQ_JSON  Ask for a JSON answer; ok: false is an error, also where it is no failure of HTTP (a dialog that was closed).
  answer = jsondecode(native2unicode(acq_request(server, method, url, body), 'UTF-8'));
  if isstruct(answer) && ~answer.ok
    error(['acq:' answer.error], '%s', answer.message);
  end
end
