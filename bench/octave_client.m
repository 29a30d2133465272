% Best of some rounds in milliseconds, as JSON: a plane of 64 MiB by acq_plane, and curl alone into a file that is read.
% octave-cli octave_client.m FOLDER_OF_CLIENT BASE PATH
args = argv();
[client, base, path] = args{end - 2:end};
addpath(client);
a = acq_open(path, 'server', base);
name = tempname();
[bare, plane] = deal(Inf);
for round = 1:8
  tic;
  system(sprintf('curl --silent --output "%s" "%s"', name, [base a.urls{1}]));
  file = fopen(name);
  samples = fread(file, Inf, 'single=>single');
  fclose(file);
  bare = min(bare, 1000 * toc);
  tic;
  samples = acq_plane(a, 1);
  plane = min(plane, 1000 * toc);
end
delete(name);
acq_close(a);
disp(jsonencode(struct('bare', bare, 'plane', plane)));
