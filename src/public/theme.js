// Runs before the first paint, so that a dark page never flashes light. `src/app/theme.ts` takes
// over from here.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem('theme');
  } catch {
    /* storage is blocked: the system theme applies */
  }
  var dark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
