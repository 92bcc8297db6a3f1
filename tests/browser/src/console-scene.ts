import { randomBytes } from 'node:crypto'
import { createClient } from '@longshore/client/client'
import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { createForm } from '@longshore/contract/cloud/forms'
import { createLink } from '@longshore/contract/cloud/links'
import { createPortalPackage, createTeamPackage, deletePackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { createSpace } from '@longshore/contract/cloud/spaces'
import { createTag } from '@longshore/contract/cloud/tags'
import { inviteMember } from '@longshore/contract/cloud/team'
import { createWebhook, testWebhook } from '@longshore/contract/cloud/webhooks'
import { deliver, putFiles } from '#deliver'

/** Names that would run, or break a page, if they were ever taken for more than text. */
export const nasty = `<img src=x onerror="document.title='owned'"> "><svg/onload=alert(1)> {{7*7}} \${7*7}`

export interface Scene {
  readonly sent: string
  readonly open: string
  readonly received: string
  readonly portal: string
  readonly webhook: string
}

/** A Team in the middle of its work, with something on every page. */
export async function makeConsoleScene(baseUrl: string, userToken: string, teamId: string): Promise<Scene> {
  const { call } = createClient({ baseUrl, credential: { userToken } })
  const params = { team_id: teamId }
  const suffix = randomBytes(4).toString('hex')

  const make = (name: string, more: { description?: string; recipients?: string[]; tag?: { name: string } } = {}) =>
    call(createTeamPackage, { params, body: { description: '', recipients: [], name, ...more } })

  await call(createTag, { params, body: { name: 'Dailies' } })
  await deliver(baseUrl, await make(nasty, { tag: { name: '"><script>alert(2)</script>' } }), {
    [nasty.replaceAll('/', '')]: 'x',
  })
  const sentPackage = await make('Reel 12, picture and sound', {
    description: 'Graded picture and the final mix.\nCheck the first minute, please.',
    recipients: ['mara@example.test', 'jon@example.test'],
    tag: { name: 'Dailies' },
  })
  await call(
    createLink,
    { params: { package_id: sentPackage.id }, body: { password: 'harbour', access_limit: 3 } },
    { credential: { packageToken: sentPackage.access_token ?? '' } },
  )
  const sent = await deliver(baseUrl, sentPackage, {
    'read me.txt': 'Ahoy.',
    'picture/reel 12 v1.mov': 'p'.repeat(40_000),
    'picture/reel 12 v2.mov': 'q'.repeat(50_000),
    'sound/final mix/left.wav': 'l'.repeat(9_000),
    'sound/final mix/right.wav': 'r'.repeat(9_000),
  })
  const gone = await make('Posters of last year')
  await deliver(baseUrl, gone, { 'poster.pdf': 'pdf' })
  const packageToken = gone.access_token ?? ''
  await call(deletePackage, { params: { package_id: gone.id } }, { credential: { packageToken } })
  const open = await make('Scans, box 4')
  await putFiles(baseUrl, open, { 'page 1.tif': 't'.repeat(20_000) })

  const portal = await call(createPortal, {
    params,
    body: {
      name: 'Camera cards',
      subdomain: `cards-${suffix}`,
      message: 'Please send the cards of the day before midnight.',
      active: true,
      recipients: ['post@example.test'],
      primary_color: '#1f4e8c',
    },
  })
  await call(createForm, {
    params: { portal_id: portal.id },
    body: {
      name: 'Card report',
      delivery_formats: ['json', 'email_body'],
      fields: [
        { name: 'scene', label: 'Scene', type: 'short_text', visibility: 'optional' },
        { name: 'camera', label: 'Camera', type: 'radio', visibility: 'optional', options: ['A', 'B'] },
      ],
    },
  })
  const quiet = await call(createPortal, {
    params,
    body: { name: nasty, subdomain: `quiet-${suffix}`, message: nasty, active: true },
  })
  const upload = await createClient({ baseUrl, credential: { accessCode: '' } }).call(createPortalPackage, {
    params: { portal_id: quiet.id },
    body: { name: 'Card A001', description: '', sender: 'camera@example.test' },
  })
  const received = await deliver(baseUrl, upload, { 'A001/clip 1.mxf': 'c'.repeat(70_000) })

  const webhook = await call(createWebhook, {
    params,
    // There is nothing, so that the log has a failure to show.
    body: { active: true, events: ['package.finalized'], method: 'POST', url: `${baseUrl}/hook`, name: 'Archive' },
  })
  await call(testWebhook, { params: { custom_webhook_id: webhook.id } })
  await call(createApiKey, { params, body: { name: 'Watch folder in the edit suite', state: 'active' } })
  await call(createApiKey, { params, body: { name: 'Old server', state: 'inactive' } })
  await call(inviteMember, { params, body: { email: 'nora@example.test', policy_key: 'admin' } })
  await call(createSpace, { params, body: { name: 'Feature film' } })
  return { sent, open: open.id, received, portal: portal.id, webhook: webhook.id }
}
