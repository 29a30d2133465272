function answer = acq_json(server, method, url, body)
%ACQ_JSON  Ask for a JSON answer; ok: false is an error, also where it is no failure of HTTP (a dialog that was closed).
  bytes = acq_request(server, method, url, body);
  try
    answer = jsondecode(native2unicode(bytes, 'UTF-8'));
    isFailure = ~answer.ok;
  catch
    error('acq:no_acq_server', '%s answered what no acq-server answers', server);
  end
  if isFailure
    error(['acq:' answer.error], '%s', answer.message);
  end
end
