const form = document.querySelector('#invitation')
const outcome = document.querySelector('#outcome')
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)

async function join(event) {
  event.preventDefault()
  const button = form.querySelector('button')
  const { name, password } = Object.fromEntries(new FormData(form))
  button.disabled = true
  outcome.textContent = 'One moment…'
  try {
    const response = await fetch(`/v1/invitations/${encodeURIComponent(token)}/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(name.trim() === '' ? { password } : { name: name.trim(), password }),
    })
    const reply = await response.json()
    form.hidden = response.ok
    document.querySelector('#intro').hidden = response.ok
    outcome.textContent = response.ok ? `Welcome. Sign in as ${reply.user.email} from now on.` : sentence(reply)
  } catch {
    outcome.textContent = 'The server does not answer. Check the connection and try again.'
  } finally {
    button.disabled = false
  }
}

function sentence({ error, message, details }) {
  if (error === 'login_failed') return 'There is an account with the invited address. This is not its password.'
  const [first] = details ?? []
  return first === undefined ? message : `Your ${first.field} ${first.reason}.`
}

form.addEventListener('submit', (event) => void join(event))
