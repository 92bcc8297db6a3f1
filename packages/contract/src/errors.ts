/**
 * The one registry of errors, of the cloud API and of the agent.
 *
 * `code` on the wire is `category << 16 | n`. A number that was once published is never given to
 * another error: integrations compare codes.
 */
const categories = {
  generic: 1,
  transfer: 2,
  disk: 3,
  session: 4,
  cloud: 5,
  automation: 6,
  gateway: 7,
  settings: 8,
  auth: 16,
  package: 17,
  file: 18,
  link: 19,
  portal: 20,
  form: 21,
  team: 22,
  webhook: 23,
  connection: 24,
  limits: 25,
  storage: 26,
} as const

type Category = keyof typeof categories

interface Declared {
  readonly category: Category
  readonly n: number
  readonly status: number
  /** What the reader should do; a refusal may say it more exactly. */
  readonly advice: string
}

const declare = <const T extends Readonly<Record<string, Declared>>>(registry: T): T => registry

export const errors = declare({
  internal_error: {
    category: 'limits',
    n: 1,
    status: 500,
    advice: 'Something went wrong on our side. Try again; if it stays, tell the operator the request id.',
  },
  malformed_request: { category: 'limits', n: 2, status: 400, advice: 'Send a well-formed JSON body and headers.' },
  unsupported_media_type: {
    category: 'limits',
    n: 3,
    status: 415,
    advice: 'Send the body as JSON with Content-Type: application/json.',
  },
  body_too_large: { category: 'limits', n: 4, status: 413, advice: 'Send a smaller body.' },
  validation_failed: { category: 'limits', n: 5, status: 422, advice: 'Correct the fields named in details.' },
  rate_limited: { category: 'limits', n: 6, status: 429, advice: 'Wait as long as Retry-After says, then try again.' },
  idempotency_conflict: {
    category: 'limits',
    n: 7,
    status: 409,
    advice: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },
  not_found: { category: 'limits', n: 8, status: 404, advice: 'There is nothing at this address. Check the path.' },
  method_not_allowed: {
    category: 'limits',
    n: 9,
    status: 405,
    advice: 'This address takes other methods; see the Allow header.',
  },
  overloaded: { category: 'limits', n: 10, status: 503, advice: 'The service is busy. Try again in a moment.' },

  credential_missing: {
    category: 'auth',
    n: 1,
    status: 401,
    advice: 'Send the credential this call needs; the API reference names the header.',
  },
  credential_invalid: {
    category: 'auth',
    n: 2,
    status: 401,
    advice: 'The credential is not valid. Sign in again, or use another key.',
  },
  token_expired: { category: 'auth', n: 3, status: 401, advice: 'The credential has expired. Get a new one.' },
  api_key_inactive: {
    category: 'auth',
    n: 4,
    status: 401,
    advice: 'This API key is inactive or suspended. Activate it or use another.',
  },
  login_failed: { category: 'auth', n: 5, status: 401, advice: 'Email or password is wrong.' },
  credentials_conflict: {
    category: 'auth',
    n: 6,
    status: 400,
    advice: 'Send exactly one credential, once, of the kind this call takes.',
  },
  insufficient_role: { category: 'auth', n: 7, status: 403, advice: 'Your role does not allow this. Ask an Owner.' },
  token_level_insufficient: {
    category: 'auth',
    n: 8,
    status: 403,
    advice: 'This package token does not allow this call. Use a token of the level the reference names.',
  },
  api_key_not_found: { category: 'auth', n: 9, status: 404, advice: 'No such API key. Check the id.' },
  api_key_suspended: {
    category: 'auth',
    n: 10,
    status: 409,
    advice: 'A suspended API key cannot be changed. Ask the operator.',
  },
  user_not_found: { category: 'auth', n: 11, status: 404, advice: 'No such user. Check the id.' },
  password_wrong: { category: 'auth', n: 12, status: 403, advice: 'The current password is wrong.' },
  email_taken: { category: 'auth', n: 13, status: 409, advice: 'Another account uses this email address.' },
  confirmation_not_found: {
    category: 'auth',
    n: 14,
    status: 404,
    advice: 'This confirmation link was used already or is too old. Ask for the change again.',
  },
  setup_not_found: {
    category: 'auth',
    n: 15,
    status: 404,
    advice:
      'This setup link was used already or is too old. The server prints a new one when it starts without a team.',
  },
  token_revoked: {
    category: 'auth',
    n: 16,
    status: 401,
    advice: 'What this token came from was switched off: its link, its member or its package. Ask for a new one.',
  },

  package_not_found: { category: 'package', n: 1, status: 404, advice: 'No such package. Check the id and the token.' },
  package_not_new: {
    category: 'package',
    n: 2,
    status: 409,
    advice: 'The package is closed; create a new one to send more files.',
  },
  files_unfinished: { category: 'package', n: 3, status: 409, advice: 'Finalize each file of the package first.' },
  package_empty: { category: 'package', n: 4, status: 409, advice: 'Add at least one file or directory first.' },
  package_expired: {
    category: 'package',
    n: 5,
    status: 410,
    advice: 'The package has expired. Ask the sender to send it again.',
  },
  package_not_expired: {
    category: 'package',
    n: 6,
    status: 409,
    advice: 'Only expired packages can be archived. Delete the package first.',
  },
  package_not_finalized: { category: 'package', n: 7, status: 409, advice: 'Finalize the package first.' },
  package_too_large: {
    category: 'package',
    n: 8,
    status: 413,
    advice: 'The Portal does not take packages this large. Send less.',
  },

  file_not_found: { category: 'file', n: 1, status: 404, advice: 'No such file in this package. Check the id.' },
  duplicate_path: {
    category: 'file',
    n: 2,
    status: 409,
    advice: 'The package already has an entry at this path. Remove it first or choose another name.',
  },
  upload_mismatch: {
    category: 'file',
    n: 3,
    status: 409,
    advice: 'What was sent does not match what storage holds. Ask for the chunks and send what is missing.',
  },
  file_too_large: { category: 'file', n: 4, status: 413, advice: 'The file is larger than is taken here.' },
  file_type_refused: { category: 'file', n: 5, status: 422, advice: 'The Portal does not take files of this type.' },
  file_quarantined: {
    category: 'file',
    n: 6,
    status: 403,
    advice: 'A virus was found in this file; it cannot be downloaded. Tell the sender.',
  },
  file_finalized: {
    category: 'file',
    n: 7,
    status: 409,
    advice: 'The file is finished; nothing more can be sent to it.',
  },
  file_not_chunked: {
    category: 'file',
    n: 8,
    status: 409,
    advice: 'This entry is not uploaded in chunks: send its put_blueprint, or nothing for a directory.',
  },
  archive_not_ready: {
    category: 'file',
    n: 9,
    status: 409,
    advice:
      'The files are still being checked. Wait as long as Retry-After says, then ask again; single files are ready.',
  },

  link_not_found: {
    category: 'link',
    n: 1,
    status: 404,
    advice: 'No such link, or its secret is wrong. Copy the whole address.',
  },
  link_locked: {
    category: 'link',
    n: 2,
    status: 410,
    advice: 'This link has been used as often as it allows. Ask the sender for a new one.',
  },
  link_password_required: {
    category: 'link',
    n: 3,
    status: 401,
    advice: 'This link has a password. Send it in X-Link-Password.',
  },
  link_password_wrong: { category: 'link', n: 4, status: 401, advice: 'The password is wrong.' },
  link_inactive: {
    category: 'link',
    n: 5,
    status: 410,
    advice: 'This link was switched off, or its package is not finished yet. Ask the sender.',
  },

  portal_not_found: { category: 'portal', n: 1, status: 404, advice: 'No such Portal. Check the address.' },
  portal_inactive: { category: 'portal', n: 2, status: 403, advice: 'This Portal takes no uploads at present.' },
  portal_expired: { category: 'portal', n: 3, status: 410, advice: 'This Portal has closed. Ask its owner.' },
  subdomain_taken: { category: 'portal', n: 4, status: 409, advice: 'This subdomain is in use. Choose another.' },
  access_code_wrong: { category: 'portal', n: 5, status: 401, advice: 'The access code is missing or wrong.' },

  form_not_found: { category: 'form', n: 1, status: 404, advice: 'No such form. Check the id.' },
  form_exists: { category: 'form', n: 2, status: 409, advice: 'This Portal has a form already. Update it instead.' },
  form_field_required: { category: 'form', n: 3, status: 422, advice: 'Fill in the fields named in details.' },
  form_template_not_found: { category: 'form', n: 4, status: 404, advice: 'No such form template. Check the id.' },
  form_response_used: {
    category: 'form',
    n: 5,
    status: 409,
    advice: 'This form response belongs to another package already. Answer the form again.',
  },
  form_response_not_found: { category: 'form', n: 6, status: 404, advice: 'This package has no form response.' },

  team_not_found: { category: 'team', n: 1, status: 404, advice: 'No such Team. Check the id and the credential.' },
  tag_not_found: { category: 'team', n: 2, status: 404, advice: 'No such tag. Check the id.' },
  teamspace_not_found: { category: 'team', n: 3, status: 404, advice: 'No such Teamspace. Check the id.' },
  member_not_found: { category: 'team', n: 4, status: 404, advice: 'No such member in this Team. Check the id.' },
  invitation_not_found: {
    category: 'team',
    n: 5,
    status: 404,
    advice: 'This invitation was used already or is too old. Ask for a new one.',
  },
  last_owner: {
    category: 'team',
    n: 6,
    status: 409,
    advice: 'A Team needs an Owner. Make another member Owner first.',
  },
  already_member: { category: 'team', n: 7, status: 409, advice: 'This person is a member of the Team already.' },

  webhook_not_found: { category: 'webhook', n: 1, status: 404, advice: 'No such webhook. Check the id.' },
  delivery_not_found: { category: 'webhook', n: 2, status: 404, advice: 'No such delivery. Check the id.' },

  connection_not_found: {
    category: 'connection',
    n: 1,
    status: 404,
    advice: 'No such cloud connection. Check the id.',
  },
  transfer_not_found: { category: 'connection', n: 2, status: 404, advice: 'No such transfer. Check the id.' },
  transfer_not_retryable: {
    category: 'connection',
    n: 3,
    status: 409,
    advice: 'Only a transfer that ended in error or was cancelled can be retried.',
  },
  gateway_offline: {
    category: 'connection',
    n: 4,
    status: 503,
    advice: 'The storage gateway is not connected. Start its agent and try again.',
  },
  connection_refused: {
    category: 'connection',
    n: 5,
    status: 409,
    advice: 'The storage behind this connection refused us. Test the connection and correct its authorization.',
  },

  storage_unavailable: {
    category: 'storage',
    n: 1,
    status: 503,
    advice: 'The object store does not answer. Try again in a moment; nothing was lost.',
  },
  storage_refused: {
    category: 'storage',
    n: 2,
    status: 409,
    advice: 'The object store refused the uploaded parts. The message says why.',
  },

  session_is_nil: { category: 'session', n: 2, status: 401, advice: 'session is nil' },
  agent_token_wrong: {
    category: 'session',
    n: 3,
    status: 401,
    advice: 'This agent asks for a token. Send the one of its token file in Authorization: Bearer.',
  },

  foreign_caller: {
    category: 'generic',
    n: 1,
    status: 403,
    advice: 'The agent takes no requests from web pages or under foreign names. Call it by its own loopback address.',
  },
  not_built_yet: {
    category: 'generic',
    n: 2,
    status: 501,
    advice: 'This version of the agent cannot do this yet. Nothing was changed.',
  },

  upload_not_found: { category: 'transfer', n: 1, status: 404, advice: 'No such upload. Check the id.' },
  download_not_found: { category: 'transfer', n: 2, status: 404, advice: 'No such download. Check the id.' },
  transfer_not_running: {
    category: 'transfer',
    n: 3,
    status: 409,
    advice: 'Only a transfer that is under way can be paused.',
  },
  transfer_not_resumable: {
    category: 'transfer',
    n: 4,
    status: 409,
    advice: 'Only a paused transfer, or one with a recoverable error, can be resumed.',
  },
  upload_not_idle: {
    category: 'transfer',
    n: 5,
    status: 409,
    advice: 'Only an upload whose files are all up can be finalized. Wait until it is idle.',
  },
  upload_not_complete: {
    category: 'transfer',
    n: 6,
    status: 409,
    advice: 'A link is made for a complete upload. Wait until it is finalized.',
  },
  upload_not_team: {
    category: 'transfer',
    n: 7,
    status: 409,
    advice: 'Links are made for uploads of a Team; what went to a Portal belongs to the Portal.',
  },
  transfer_not_queued: {
    category: 'transfer',
    n: 8,
    status: 409,
    advice: 'The transfer is over and has no place in the queue any more.',
  },
  content_mismatch: {
    category: 'transfer',
    n: 9,
    status: 409,
    advice: 'What arrived is not what was sent. Resume to fetch it again; if it stays, tell the sender.',
  },
  download_url_invalid: {
    category: 'transfer',
    n: 10,
    status: 422,
    advice: 'This is not a download link. Copy the whole address, with its secret.',
  },
  transfer_failed: {
    category: 'transfer',
    n: 11,
    status: 409,
    advice: 'The transfer met an error that the agent does not know. Its message says what happened.',
  },

  entry_skipped: {
    category: 'transfer',
    n: 12,
    status: 422,
    advice: 'This entry is left out. Its message says why.',
  },

  path_not_found: {
    category: 'disk',
    n: 1,
    status: 422,
    advice: 'There is nothing at this path on the host of the agent, or it may not be read.',
  },
  destination_refused: {
    category: 'disk',
    n: 2,
    status: 422,
    advice: 'The destination cannot be written to. Choose another folder or give the agent access to this one.',
  },
  disk_full: {
    category: 'disk',
    n: 3,
    status: 507,
    advice: 'The disk of the destination is full. Make space, then resume.',
  },
  source_gone: {
    category: 'disk',
    n: 4,
    status: 409,
    advice: 'A file was removed while it was being sent. Put it back and resume, or start anew.',
  },
  source_changed: {
    category: 'disk',
    n: 5,
    status: 409,
    advice: 'A file kept changing while it was being sent. Resume when nobody writes to it any more.',
  },
  source_unreadable: {
    category: 'disk',
    n: 6,
    status: 409,
    advice: 'A file cannot be read. Give the agent access to it and resume.',
  },

  cloud_unreachable: {
    category: 'cloud',
    n: 1,
    status: 503,
    advice: 'The Longshore server does not answer. Check the address and the network, then try again.',
  },
  storage_full: {
    category: 'cloud',
    n: 2,
    status: 507,
    advice: 'The object store takes no more data. Ask the operator for space, then resume.',
  },

  automation_not_found: { category: 'automation', n: 1, status: 404, advice: 'No such automation. Check the id.' },
  automation_import_invalid: {
    category: 'automation',
    n: 2,
    status: 422,
    advice: 'This is not an exported automation, or one of a newer version.',
  },

  gateway_not_found: {
    category: 'gateway',
    n: 1,
    status: 404,
    advice: 'No such storage gateway connection. Check the id.',
  },
  gateway_exists: {
    category: 'gateway',
    n: 2,
    status: 409,
    advice: 'This connection is registered already. Update it, or unregister it first.',
  },
  delivery_stopped: {
    category: 'gateway',
    n: 3,
    status: 409,
    advice: 'What has arrived stays. To go on, try the transfer again in the web application.',
  },

  interface_not_found: {
    category: 'settings',
    n: 1,
    status: 404,
    advice: 'The host has no such network interface. The status of multiconnect lists them.',
  },
})

export type ErrorName = keyof typeof errors

/** The number an error has on the wire. */
export function codeOf(name: ErrorName): number {
  const { category, n } = errors[name]
  return (categories[category] << 16) | n
}

export const statusOf = (name: ErrorName): number => errors[name].status

export const adviceOf = (name: ErrorName): string => errors[name].advice

/** One field that a 422 complains about. */
export interface Detail {
  readonly field: string
  readonly reason: string
}
