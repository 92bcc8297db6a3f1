import type { Automation } from './kinds.ts'
import type { Order } from './sending.ts'

type Uploading = Automation<'team_upload' | 'portal_upload' | 'team_stream' | 'portal_stream'>

/** The upload of one path, as the automation wants it. */
export function uploadOrder({ type, fields }: Uploading, path: string, name: string, plan: Plan): Order {
  const shared = {
    paths: [path],
    package_name: name.slice(0, 255),
    package_description: fields.message ?? '',
    priority: fields.upload_priority ?? 0,
  }
  if (type === 'team_upload' || type === 'team_stream') {
    const { team_id, recipient_emails, delete_after, download_limit, download_password, tag, unlimited_storage } =
      fields
    const asked = { delete_after, download_limit, password: download_password, tag, unlimited_storage }
    return { kind: 'team', body: { ...shared, team_id, recipients: recipient_emails, ...given(asked) }, ...plan }
  }
  const { portal_subdomain: subdomain, sender_email, portal_password } = fields
  return {
    kind: 'portal',
    body: { ...shared, subdomain, sender_email, ...given({ access_code: portal_password }) },
    ...plan,
  }
}

type Plan = Pick<Extract<Order, { kind: 'team' }>, 'plan' | 'clear'>

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
