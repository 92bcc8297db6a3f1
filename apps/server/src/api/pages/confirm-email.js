const outcome = document.querySelector('#outcome')
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)

try {
  const response = await fetch(`/v1/email_confirmations/${encodeURIComponent(token)}`, { method: 'POST' })
  outcome.textContent = response.ok
    ? 'Done. Sign in with the new address from now on.'
    : (await response.json()).message
} catch {
  outcome.textContent = 'The server does not answer. Check the connection and reload this page from the mail.'
}
