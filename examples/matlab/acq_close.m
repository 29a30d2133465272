function acq_close(a)
%ACQ_CLOSE  Free the memory that the server keeps for what ACQ_OPEN gave.
  try
    acq_json(a.server, 'DELETE', ['/api/v2/sessions/' a.info.sessionId], []);
  catch failure
    if ~any(strcmp(failure.identifier, {'acq:session_not_found', 'acq:server_unreachable'}))
      rethrow(failure);
    end
  end
end
