function group = acq_group(server, description)
%ACQ_GROUP  What ACQ_PLANE needs to know of planes of one shape.
  group = struct('server', server, 'shape', description.plane.shape(:).', 'axes', description.plane.axes);
  group.names = {description.channels.name};
  group.urls = {description.channels.dataUrl};
end
