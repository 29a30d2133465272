function acq_show(a, channel, varargin)
%ACQ_SHOW  Draw a plane over its physical axes. ACQ_SHOW(A, 'CH1', 't', 3) takes what ACQ_PLANE takes.
  plane = acq_plane(a, channel, varargin{:});
  [y, x] = deal(a.axes(1), a.axes(2));
  values = sort(plane(isfinite(plane)));
  range = double(values(max(1, round([0.01 0.995] * numel(values)))));
  imagesc([0 (x.size - 1) * x.step], [0 (y.size - 1) * y.step], plane, [range(1), max(range(2), range(1) + eps)]);
  colormap(gray);
  xlabel(sprintf('%s (%s)', x.name, x.unit));
  ylabel(sprintf('%s (%s)', y.name, y.unit));
  if strcmp(x.unit, y.unit)
    axis image
  end
  if isfield(a, 'scanPath') && ~isempty(a.scanPath)
    hold on
    plot((a.scanPath(:, 1) - 1) * x.step, (a.scanPath(:, 2) - 1) * y.step, 'c-');
    hold off
  end
end
