function index = acq_index(number, name, kind, count)
%ACQ_INDEX  The index of the server, which counts from 0, for a number from 1 to COUNT. KIND is in the code of the error.
  if ~isnumeric(number) || ~isscalar(number) || number < 1 || number > count || number ~= floor(number)
    range = 'indices start at 1';
    if isfinite(count)
      range = sprintf('indices go from 1 to %d', count);
    end
    error(['acq:' kind '_out_of_range'], 'There is no %s %s: %s', name, num2str(number), range);
  end
  index = number - 1;
end
