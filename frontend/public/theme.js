// Runs before the first paint so that a dark page never flashes white. A file of its own because the
// content security policy allows no inline script. The key is the one in src/session/preferences.ts.
;(function () {
  var chosen = localStorage.getItem('lunette-theme') || 'auto'
  var isDark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', isDark)
})()
