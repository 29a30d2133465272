% Prints a JSON line for each thing that tests/clients/octave_test.ts compares: octave octave_cases.m CLIENT SERVER FIXTURES BUSY REFUSING OTHERS STALLING
args = argv();
[client, server, fixtures, busy, refusing, others, stalling] = args{end - 6:end};
addpath(client);

function text = sha(plane)
  % Row after row, as the server sends it.
  text = hash('sha256', char(typecast(reshape(plane.', 1, []), 'uint8')));
end

function tell(value)
  disp(jsonencode(value));
end

function code = failure(f)
  code = '';
  try
    f();
  catch error
    code = error.identifier;
  end
end

a = acq_open([fixtures '/oir/line_scan.oir'], 'server', server);
tell(struct('class', class(acq_plane(a, 1)), 'size', size(acq_plane(a, 1))));
tell({sha(acq_plane(a, 'CH1')), sha(acq_plane(a, 2))});
tell({sha(acq_plane(a.reference, 1)), sha(acq_plane(a.reference, 2))});
tell(a.reference.scanPath);
tell(a.axes);
tell({failure(@() acq_plane(a, 'CH3')), failure(@() acq_plane(a, 1, 't', 2))});
acq_close(a);
acq_close(a);
tell({failure(@() acq_plane(a, 1)), failure(@() acq_open('/nowhere.tif', 'server', server)), ...
  failure(@() acq_open('/nowhere.tif', 'server', 'http://127.0.0.1:9'))});

b = acq_open([fixtures '/lsm/series_tzc.lsm'], 'server', server);
hashes = struct();
for t = 1:b.sizes.T
  for z = 1:b.sizes.Z
    for c = 1:numel(b.names)
      hashes.(sprintf('p%d_%d_%d', t - 1, z - 1, c - 1)) = sha(acq_plane(b, c, 't', t, 'z', z));
    end
  end
end
tell(hashes);
series = acq_plane(b, 2, 't', 1:b.sizes.T, 'z', 2);
tell({size(series, 3), sha(series(:, :, 1)), sha(series(:, :, end)), failure(@() acq_plane(b, 1, 't', [1 1])), ...
  failure(@() acq_plane(b, 1, 't', 1:2, 'z', 1:2)), failure(@() acq_plane(b, 1, 't', 1:99))});
acq_close(b);

d = acq_open([fixtures '/nd2/positions.nd2'], 'scene', 2, 'server', server);
tell({sha(acq_plane(d, 1, 't', 2)), numel(d.scenes)});
acq_close(d);

e = acq_open([fixtures '/oir/line_scan.oir'], 'server', busy);
tell({sha(acq_plane(e, 1)), failure(@() acq_open([fixtures '/oir/line_scan.oir'], 'server', refusing)), ...
  failure(@() acq_open([fixtures '/oir/line_scan.oir'], 'server', stalling))});
acq_close(e);

% A slash at the end of the address, and addresses that a shell would follow.
f = acq_open([fixtures '/oir/line_scan.oir'], 'server', [server '/']);
tell({failure(@() acq_plane(f, 0)), failure(@() acq_plane(f, 3)), failure(@() acq_plane(f, 1, 'time', 2)), ...
  failure(@() acq_plane(f, 1, 't')), failure(@() acq_open('/nowhere.tif', 'Server', server)), ...
  failure(@() acq_open('/nowhere.tif', 'scene'))});
mark = tempname();
f.urls{1} = ['/api/v2$(touch ' mark ')'];
tell({failure(@() acq_plane(f, 1)), failure(@() acq_open('/nowhere.tif', 'server', 'http://$(echo 1)')), exist(mark)});
acq_close(f);
codes = {};
[count, others] = strtok(others);
for k = 0:str2double(count) - 1
  codes{end + 1} = failure(@() acq_open('/nowhere.tif', 'server', sprintf('%s/%d', strtrim(others), k)));
end
tell(unique(codes));

% Indices in messages count from 1.
messages = {};
positions = [fixtures '/nd2/positions.nd2'];
g = acq_open(positions, 'server', server);
for f = {@() acq_open(positions, 'scene', 9, 'server', server), @() acq_open(positions, 'scene', 0, 'server', server), ...
    @() acq_plane(g, 1, 't', 99), @() acq_plane(g, 1, 't', 0)}
  try
    f{1}();
  catch error
    messages{end + 1} = [error.identifier ' ' error.message];
  end
end
tell(messages);
acq_close(g);
