const show = (id) => document.querySelector(`#${id}`)
const linkId = location.pathname.split('/').at(-1)
// Out of the address bar at once, where it would be seen and copied; kept for this tab, so that a reload still works.
const secret = new URLSearchParams(location.search).get('secret') ?? sessionStorage.getItem(linkId) ?? ''
sessionStorage.setItem(linkId, secret)
history.replaceState(null, '', location.pathname)

const sentences = { link_password_required: 'This link has a password.' }

const size = (bytes) => {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${units[power]}`
}

async function ask(path, headers) {
  const response = await fetch(path, { headers })
  const reply = await response.json()
  if (!response.ok) throw reply
  return reply
}

async function open(password) {
  try {
    const headers = password === undefined ? {} : { 'x-link-password': encodeURIComponent(password) }
    const link = await ask(`/v1/links/${linkId}?secret=${encodeURIComponent(secret)}`, headers)
    show('unlock').hidden = true
    show('name').textContent = link.name
    show('about').textContent = `From ${link.sender_email}. ${link.total_files} file(s), ${size(link.package_size)}.`
    await list(link)
    show('outcome').textContent = ''
  } catch (reply) {
    show('unlock').hidden = !String(reply.error).startsWith('link_password')
    show('outcome').textContent =
      sentences[reply.error] ?? reply.message ?? 'The server does not answer. Check the connection and try again.'
  }
}

const archives = {
  zip_windows: 'all files as one zip, for Windows',
  zip_mac: 'all files as one zip, for Mac and Linux',
}

async function list(link) {
  const token = { 'x-package-token': link.package_token }
  const files = await ask(`/v1/packages/${link.package_id}/files`, token)
  const rows = files
    .filter((file) => file.kind !== 'directory')
    .map((file) => {
      const button = document.createElement('button')
      button.textContent = 'Download'
      button.setAttribute('aria-label', `Download ${archives[file.kind] ?? file.name}`)
      button.addEventListener('click', () => void fetchFile(link, token, file))
      const name = document.createElement('bdi')
      name.textContent = archives[file.kind] ?? (file.path === '' ? file.name : `${file.path}/${file.name}`)
      const row = document.createElement('li')
      row.append(name, ` ${size(file.size)} `, button)
      return row
    })
  show('files').replaceChildren(...rows)
}

async function fetchFile(link, token, file) {
  try {
    location.assign((await ask(`/v1/packages/${link.package_id}/files/${file.id}/download`, token)).url)
  } catch (reply) {
    show('outcome').textContent = reply.message ?? 'The server does not answer. Try again.'
  }
}

show('unlock').addEventListener('submit', (event) => {
  event.preventDefault()
  void open(new FormData(event.target).get('password'))
})
void open()
