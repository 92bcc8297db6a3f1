const form = document.querySelector('#confirm')
const outcome = document.querySelector('#outcome')
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)

// By a button, not by opening the page: mail scanners open every address they find.
async function confirm(event) {
  event.preventDefault()
  outcome.textContent = 'One moment…'
  try {
    const response = await fetch(`/v1/email_confirmations/${encodeURIComponent(token)}`, { method: 'POST' })
    form.hidden = response.ok
    outcome.textContent = response.ok
      ? 'Done. Sign in with the new address from now on.'
      : (await response.json()).message
  } catch {
    outcome.textContent = 'The server does not answer. Check the connection and try again.'
  }
}

form.addEventListener('submit', (event) => void confirm(event))
