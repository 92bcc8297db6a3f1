const form = document.querySelector('#setup')
const outcome = document.querySelector('#outcome')
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)

async function create(event) {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  outcome.textContent = 'Creating the Team…'
  try {
    const response = await fetch('/v1/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
    })
    const reply = await response.json()
    if (response.ok) {
      form.hidden = true
      document.querySelector('#intro').hidden = true
      outcome.textContent = `Done. ${reply.teams[0].name} is ready, and ${reply.user.email} is its Owner. You can sign in now.`
    } else {
      outcome.textContent = reply.message
    }
  } catch {
    outcome.textContent = 'The server does not answer. Check the connection and try again.'
  } finally {
    button.disabled = false
  }
}

form.addEventListener('submit', (event) => void create(event))
