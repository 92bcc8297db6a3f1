import { randomBytes } from 'node:crypto'
import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { chunkRequests } from '@longshore/contract/cloud/files'
import { createFormTemplate } from '@longshore/contract/cloud/forms'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { createConnection, startTransfer } from '@longshore/contract/cloud/connections'
import { addSpaceMembers, createSpace } from '@longshore/contract/cloud/spaces'
import { createTag } from '@longshore/contract/cloud/tags'
import { inviteMember } from '@longshore/contract/cloud/team'
import { createWebhook, testWebhook } from '@longshore/contract/cloud/webhooks'
import { type AnyInput, use } from '#calls'
import { connectionFields, elsewhere } from '#elsewhere'
import { type Member, makeMember, makeTeam } from '#members'
import { makeForm, makePortal, newForm, newPackage, newPortal } from '#portals'
import { openUpload } from '#storage'
import { target } from '#target'
import {
  add,
  type AddedFile,
  finalize,
  inFile,
  inPackage,
  inspected,
  makeLink,
  makePackage,
  managing,
  newFile,
  type Package,
  readTokenOf,
  someName,
  upload,
} from '#walk'

/** One Team with something in every place that a call can name. */
export interface Scene {
  readonly teamId: string
  readonly owner: Member
  readonly key: { readonly id: string; readonly key: string }
  readonly tag: { readonly id: string }
  /** A plain member, who is in the Teamspace. */
  readonly mate: Member
  readonly space: { readonly id: string }
  /** Nobody has accepted it. */
  readonly invitation: { readonly id: string }
  /** Off, with one delivery in its list. */
  readonly hook: { readonly id: string; readonly deliveryId: string }
  /** An open Portal without code or form. */
  readonly portal: { readonly id: string; readonly subdomain: string }
  /** A Portal with a form. */
  readonly asking: { readonly portalId: string; readonly formId: string }
  readonly template: { readonly id: string }
  /** To a bucket of somebody else. */
  readonly connection: { readonly id: string }
  /** No agent has connected as it. */
  readonly gateway: { readonly id: string }
  /** Of the package that was sent; complete, or soon. */
  readonly transfer: { readonly id: string; readonly access_token: string }
  /** A package that is still filled: one file under way, one link. */
  readonly open: {
    readonly pkg: Package
    readonly added: AddedFile
    readonly uploadId: string
    readonly link: { readonly id: string; readonly secret: string }
  }
  /** A package that was sent. */
  readonly sent: {
    readonly pkg: Package
    readonly added: AddedFile
    readonly link: { readonly id: string; readonly secret: string }
    readonly readToken: string
  }
}

export async function makeScene(teamId = target.team_id): Promise<Scene> {
  const owner = await makeMember('owner', teamId)
  const as = { userToken: owner.token }
  const key = await use(createApiKey, { params: { team_id: teamId }, body: { state: 'active' } }, { as })
  const filled = await makePackage({}, as, teamId)
  const added = await add(filled, { size: 3 })
  const uploadId = await openUpload(added.create_blueprint)
  const chunk = { params: inFile(added), query: { start: 0, count: 1 }, body: { upload_id: uploadId } }
  await use(chunkRequests, chunk, managing(filled))
  const sentPackage = await makePackage({}, as, teamId)
  const sentFile = await upload(sentPackage, Buffer.from('Ahoy.'), { name: 'note.txt' })
  await finalize(sentPackage)
  await inspected(sentPackage)
  const link = await makeLink(sentPackage)
  const hook = await makeHook(owner, teamId)
  const connection = await makeConnection(owner, teamId)
  const gateway = await makeConnection(owner, teamId, { name: 'NAS', provider: 'storage_gateway', direction: 'both' })
  const delivery = await use(testWebhook, { params: { custom_webhook_id: hook.id } }, { as })
  const mate = await makeMember('member', teamId)
  const [portal, asking] = [await makePortal({}, { as }, teamId), await makePortal({}, { as }, teamId)]
  const form = await makeForm(asking, {}, { as })
  return {
    teamId,
    owner,
    key,
    mate,
    tag: await makeTag(owner, teamId),
    space: await makeSpace(owner, teamId, [mate.membership_id]),
    invitation: await makeInvitation(owner, teamId),
    portal,
    asking: { portalId: asking.id, formId: form.id },
    template: await makeTemplate(owner, teamId),
    hook: { id: hook.id, deliveryId: delivery.id },
    connection,
    gateway,
    transfer: await use(
      startTransfer,
      { params: inPackage(sentPackage), body: { cloud_connection_id: connection.id } },
      managing(sentPackage),
    ),
    open: { pkg: filled, added, uploadId, link: await makeLink(filled) },
    sent: { pkg: sentPackage, added: sentFile, link, readToken: await readTokenOf(link) },
  }
}

const makeTag = (owner: Member, teamId: string) =>
  use(createTag, { params: { team_id: teamId }, body: { name: someName('tag') } }, { as: { userToken: owner.token } })

const makeSpace = (owner: Member, teamId: string, membership_ids: string[] = []) =>
  use(
    createSpace,
    { params: { team_id: teamId }, body: { name: someName('Space'), membership_ids } },
    { as: { userToken: owner.token } },
  )

const someAddress = () => `guest-${randomBytes(6).toString('hex')}@example.test`

const makeInvitation = (owner: Member, teamId: string) =>
  use(
    inviteMember,
    { params: { team_id: teamId }, body: { email: someAddress(), policy_key: 'member' } },
    { as: { userToken: owner.token } },
  )

// Nobody listens there, and nobody has to.
const hookFields = {
  active: false,
  events: ['package.created'],
  method: 'POST',
  url: 'http://127.0.0.1:65500/',
} as const

const makeHook = (owner: Member, teamId: string) =>
  use(
    createWebhook,
    { params: { team_id: teamId }, body: { ...hookFields, events: [...hookFields.events] } },
    { as: { userToken: owner.token } },
  )

const makeConnection = (
  owner: Member,
  teamId: string,
  body: ReturnType<typeof connectionFields> = connectionFields(),
) => use(createConnection, { params: { team_id: teamId }, body }, { as: { userToken: owner.token } })

const makeTemplate = (owner: Member, teamId: string) =>
  use(createFormTemplate, { params: { team_id: teamId }, body: newForm() }, { as: { userToken: owner.token } })

/** A scene in a Team that no other test knows. */
export const makeSceneApart = async (): Promise<Scene> => makeScene(await makeTeam(someName('Other Team')))

/** Ends a package, and answers it: its tokens still hold, but it takes and gives nothing. */
export async function makeEnded(): Promise<Package> {
  const pkg = await makePackage()
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  return pkg
}

/**
 * A request for each endpoint that the owner of a scene may send, and what comes of it: a status, or the refusal that
 * shows that the call went through to its own rules.
 */
export interface Request {
  readonly input: AnyInput
  readonly outcome: string
}

const etag = '"d41d8cd98f00b204e9800998ecf8427e"'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const longAgo = { expiry_start: '2000-01-01T00:00:00.000Z', expiry_end: '2000-01-02T00:00:00.000Z' }

export const requests: Readonly<Record<string, (scene: Scene) => Request>> = {
  packageSpec: () => ({ input: {}, outcome: '200' }),
  systemKeys: () => ({ input: {}, outcome: '200' }),
  setUp: () => ({
    input: {
      body: {
        token: 'no-such-token-at-all',
        team_name: 'A Team',
        name: 'Somebody',
        email: 'somebody@example.test',
        password: 'long enough for anyone',
      },
    },
    outcome: 'setup_not_found',
  }),
  signIn: () => ({
    input: {
      body: { email: `nobody-${randomBytes(6).toString('hex')}@example.test`, password: 'not the password of anyone' },
    },
    outcome: 'login_failed',
  }),
  confirmEmail: () => ({ input: { params: { token: 'no-such-token-at-all' } }, outcome: 'confirmation_not_found' }),
  whoAmI: () => ({ input: {}, outcome: '200' }),
  updateUser: (scene) => ({ input: { params: { user_id: scene.owner.id }, body: {} }, outcome: '200' }),
  changePassword: (scene) => ({
    input: {
      params: { user_id: scene.owner.id },
      body: { current_password: 'not the right password', password: 'another long password' },
    },
    outcome: 'password_wrong',
  }),
  changeEmail: (scene) => ({
    input: {
      params: { user_id: scene.owner.id },
      body: { email: 'elsewhere@example.test', password: 'not the right password' },
    },
    outcome: 'password_wrong',
  }),
  createApiKey: (scene) => ({
    input: { params: { team_id: scene.teamId }, body: { state: 'inactive' } },
    outcome: '201',
  }),
  listApiKeys: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  updateApiKey: (scene) => ({
    input: { params: { api_key_id: scene.key.id }, body: { state: 'active' } },
    outcome: '200',
  }),
  switchApiKey: (scene) => ({ input: { params: { api_key_id: scene.key.id, action: 'active' } }, outcome: '204' }),
  deleteApiKey: (scene) => ({ input: { params: { api_key_id: scene.key.id } }, outcome: '204' }),
  createTag: (scene) => ({
    input: { params: { team_id: scene.teamId }, body: { name: someName('tag') } },
    outcome: '201',
  }),
  listTags: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  deleteTag: (scene) => ({ input: { params: { tag_id: scene.tag.id } }, outcome: '204' }),
  readTeamSettings: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  updateTeamSettings: (scene) => ({ input: { params: { team_id: scene.teamId }, body: {} }, outcome: '200' }),
  inviteMember: (scene) => ({
    input: {
      params: { team_id: scene.teamId },
      body: { email: someAddress(), policy_key: 'member' },
    },
    outcome: '201',
  }),
  listInvitations: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  withdrawInvitation: (scene) => ({
    input: { params: { team_id: scene.teamId, invitation_id: scene.invitation.id } },
    outcome: '204',
  }),
  teamUsage: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  acceptInvitation: () => ({
    input: { params: { token: 'no-such-token-at-all' }, body: { name: 'Nobody', password: 'long enough for anyone' } },
    outcome: 'invitation_not_found',
  }),
  listMembers: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  updateMember: (scene) => ({
    input: {
      params: { team_id: scene.teamId, membership_id: scene.mate.membership_id },
      body: { policy_key: 'member' },
    },
    outcome: '200',
  }),
  removeMember: (scene) => ({
    input: { params: { team_id: scene.teamId, membership_id: scene.mate.membership_id } },
    outcome: '204',
  }),
  listSpaces: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  createSpace: (scene) => ({
    input: { params: { team_id: scene.teamId }, body: { name: someName('Space') } },
    outcome: '201',
  }),
  readSpace: (scene) => ({ input: { params: { space_id: scene.space.id } }, outcome: '200' }),
  updateSpace: (scene) => ({
    input: { params: { space_id: scene.space.id }, body: { name: someName('Space') } },
    outcome: '200',
  }),
  deleteSpace: (scene) => ({ input: { params: { space_id: scene.space.id } }, outcome: '204' }),
  addSpaceMembers: (scene) => ({
    input: { params: { space_id: scene.space.id }, body: { membership_ids: [scene.mate.membership_id] } },
    outcome: '200',
  }),
  removeSpaceMember: (scene) => ({
    input: { params: { space_id: scene.space.id, membership_id: scene.mate.membership_id } },
    outcome: '204',
  }),
  createWebhook: (scene) => ({ input: { params: { team_id: scene.teamId }, body: hookFields }, outcome: '201' }),
  listWebhooks: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  updateWebhook: (scene) => ({
    input: { params: { custom_webhook_id: scene.hook.id }, body: hookFields },
    outcome: '200',
  }),
  deleteWebhook: (scene) => ({ input: { params: { custom_webhook_id: scene.hook.id } }, outcome: '204' }),
  rotateWebhookSecret: (scene) => ({ input: { params: { custom_webhook_id: scene.hook.id } }, outcome: '200' }),
  listDeliveries: (scene) => ({ input: { params: { custom_webhook_id: scene.hook.id } }, outcome: '200' }),
  replayDelivery: (scene) => ({
    input: { params: { custom_webhook_id: scene.hook.id, delivery_id: scene.hook.deliveryId } },
    outcome: '202',
  }),
  testWebhook: (scene) => ({ input: { params: { custom_webhook_id: scene.hook.id } }, outcome: '202' }),
  createConnection: (scene) => ({
    input: { params: { team_id: scene.teamId }, body: connectionFields() },
    outcome: '201',
  }),
  listConnections: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  readConnection: (scene) => ({ input: { params: { cloud_connection_id: scene.connection.id } }, outcome: '200' }),
  updateConnection: (scene) => ({
    input: { params: { cloud_connection_id: scene.connection.id }, body: {} },
    outcome: '200',
  }),
  deleteConnection: (scene) => ({ input: { params: { cloud_connection_id: scene.connection.id } }, outcome: '204' }),
  rotateGatewaySecret: (scene) => ({ input: { params: { cloud_connection_id: scene.gateway.id } }, outcome: '200' }),
  testConnection: (scene) => ({ input: { params: { cloud_connection_id: scene.connection.id } }, outcome: '200' }),
  listConnectionFiles: (scene) => ({
    input: { params: { cloud_connection_id: scene.connection.id }, query: { count: 1 } },
    outcome: '200',
  }),
  startTransfer: (scene) => ({
    input: { params: inPackage(scene.sent.pkg), body: { authorization: elsewhere('closed') } },
    outcome: '201',
  }),
  listTransfers: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '200' }),
  readTransfer: (scene) => ({ input: { params: { transfer_id: scene.transfer.id } }, outcome: '200' }),
  retryTransfer: (scene) => ({
    input: { params: { transfer_id: scene.transfer.id } },
    outcome: 'transfer_not_retryable',
  }),
  cancelTransfer: (scene) => ({ input: { params: { transfer_id: scene.transfer.id } }, outcome: '200' }),
  createPortal: (scene) => ({ input: { params: { team_id: scene.teamId }, body: newPortal() }, outcome: '201' }),
  updatePortal: (scene) => ({
    input: { params: { portal_id: scene.portal.id }, body: newPortal({ subdomain: scene.portal.subdomain }) },
    outcome: '200',
  }),
  readPortal: (scene) => ({ input: { params: { portal_id: scene.portal.id } }, outcome: '200' }),
  deletePortal: (scene) => ({ input: { params: { portal_id: scene.portal.id } }, outcome: '204' }),
  listPortals: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  listPortalsLegacy: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  lookUpPortal: (scene) => ({ input: { params: { subdomain: scene.portal.subdomain } }, outcome: '200' }),
  createPortalPackage: (scene) => ({
    input: { params: { portal_id: scene.portal.id }, body: newPackage() },
    outcome: '201',
  }),
  createForm: (scene) => ({
    input: { params: { portal_id: scene.asking.portalId }, body: newForm() },
    outcome: 'form_exists',
  }),
  readForm: (scene) => ({ input: { params: { portal_id: scene.asking.portalId } }, outcome: '200' }),
  updateForm: (scene) => ({ input: { params: { form_id: scene.asking.formId }, body: newForm() }, outcome: '200' }),
  deleteForm: (scene) => ({ input: { params: { form_id: scene.asking.formId } }, outcome: '204' }),
  answerForm: (scene) => ({
    input: { params: { portal_id: scene.asking.portalId }, body: { scene: { value: '12b' } } },
    outcome: '201',
  }),
  packageMetadata: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: 'form_response_not_found' }),
  createFormTemplate: (scene) => ({ input: { params: { team_id: scene.teamId }, body: newForm() }, outcome: '201' }),
  listFormTemplates: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  updateFormTemplate: (scene) => ({
    input: { params: { form_template_id: scene.template.id }, body: newForm() },
    outcome: '200',
  }),
  deleteFormTemplate: (scene) => ({ input: { params: { form_template_id: scene.template.id } }, outcome: '204' }),
  createTeamPackage: (scene) => ({
    input: { params: { team_id: scene.teamId }, body: { name: someName('Made'), description: '', recipients: [] } },
    outcome: '201',
  }),
  listTeamPackages: (scene) => ({ input: { params: { team_id: scene.teamId }, query: { limit: 1 } }, outcome: '200' }),
  listInbox: (scene) => ({ input: { params: { team_id: scene.teamId }, query: { limit: 1 } }, outcome: '200' }),
  listPortalPackages: (scene) => ({ input: { params: { portal_id: scene.portal.id }, query: {} }, outcome: '200' }),
  // Of one state, and of the Portal a few: the Team of all tests has a great many.
  listTeamPackagesLegacy: (scene) => ({
    input: { params: { team_id: scene.teamId }, query: { expired: false, finalized: false, archived: true } },
    outcome: '200',
  }),
  listPortalPackagesLegacy: (scene) => ({
    input: { params: { portal_id: scene.portal.id }, query: {} },
    outcome: '200',
  }),
  readTeamPackage: (scene) => ({
    input: { params: { team_id: scene.teamId, package_id: scene.open.pkg.id } },
    outcome: '200',
  }),
  readPackage: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '200' }),
  updatePackage: (scene) => ({
    input: { params: inPackage(scene.open.pkg), body: { name: scene.open.pkg.name } },
    outcome: '200',
  }),
  setPackageExpiry: (scene) => ({
    input: { params: inPackage(scene.open.pkg), body: { expiry: inDays(5) } },
    outcome: '200',
  }),
  deletePackage: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '204' }),
  finalizePackage: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: 'files_unfinished' }),
  archivePackage: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: 'package_not_expired' }),
  unarchivePackage: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: 'package_not_expired' }),
  archiveSent: (scene) => ({ input: { params: { team_id: scene.teamId }, body: longAgo }, outcome: '200' }),
  unarchiveSent: (scene) => ({ input: { params: { team_id: scene.teamId }, body: longAgo }, outcome: '200' }),
  archiveReceived: (scene) => ({ input: { params: { team_id: scene.teamId }, body: longAgo }, outcome: '200' }),
  unarchiveReceived: (scene) => ({ input: { params: { team_id: scene.teamId }, body: longAgo }, outcome: '200' }),
  addFile: (scene) => ({ input: { params: inPackage(scene.open.pkg), body: newFile({ size: 1 }) }, outcome: '201' }),
  addFiles: (scene) => ({
    input: { params: inPackage(scene.open.pkg), body: { files: [newFile({ size: 1 })] } },
    outcome: '201',
  }),
  chunkRequests: (scene) => ({
    input: {
      params: inFile(scene.open.added),
      query: { start: 0, count: 1 },
      body: { upload_id: scene.open.uploadId },
    },
    outcome: '200',
  }),
  finalizeFile: (scene) => ({
    input: {
      params: inFile(scene.open.added),
      body: { chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id: scene.open.uploadId }, size: 3 },
    },
    outcome: 'upload_mismatch',
  }),
  finalizeFiles: (scene) => ({
    input: {
      params: inPackage(scene.open.pkg),
      body: {
        files: [
          {
            file_id: scene.open.added.file.id,
            size: 3,
            chunk_extras: [{ part_number: 1, etag }],
            file_extras: { upload_id: scene.open.uploadId },
          },
        ],
      },
    },
    outcome: '200',
  }),
  listChunks: (scene) => ({ input: { params: inFile(scene.open.added) }, outcome: '200' }),
  removeFile: (scene) => ({ input: { params: inFile(scene.open.added) }, outcome: '204' }),
  listFiles: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '200' }),
  fileUrl: (scene) => ({ input: { params: inFile(scene.sent.added), query: {} }, outcome: '200' }),
  fileUrls: (scene) => ({
    input: { params: inPackage(scene.sent.pkg), body: { file_ids: [scene.sent.added.file.id] } },
    outcome: '200',
  }),
  waybill: (scene) => ({ input: { params: inPackage(scene.sent.pkg) }, outcome: '200' }),
  createLink: (scene) => ({ input: { params: inPackage(scene.open.pkg), body: {} }, outcome: '201' }),
  listLinks: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '200' }),
  updateLink: (scene) => ({
    input: { params: { package_id: scene.open.pkg.id, link_id: scene.open.link.id }, body: {} },
    outcome: '204',
  }),
  deleteLink: (scene) => ({
    input: { params: { package_id: scene.open.pkg.id, link_id: scene.open.link.id } },
    outcome: '204',
  }),
  packageEvents: (scene) => ({ input: { params: inPackage(scene.open.pkg) }, outcome: '200' }),
  teamEvents: (scene) => ({ input: { params: { team_id: scene.teamId } }, outcome: '200' }),
  reportProgress: (scene) => ({
    input: { params: inPackage(scene.open.pkg), body: { uploaded_bytes: 0 } },
    outcome: '204',
  }),
  lookUpLink: (scene) => ({
    input: { params: { link_id: scene.sent.link.id }, query: { secret: scene.sent.link.secret } },
    outcome: '200',
  }),
}

export function requestFor(name: string, scene: Scene): Request {
  const make = requests[name]
  if (make === undefined) throw new Error(`${name} is served, but scene.ts has no request for it. Write one.`)
  return make(scene)
}

/** The package that a package call of the scene is about. */
export const packageOf = (name: string, scene: Scene): Package =>
  ['fileUrl', 'fileUrls', 'waybill', 'startTransfer'].includes(name) ? scene.sent.pkg : scene.open.pkg

/** Calls that take away what they name: where they are let through, they get something of their own to take. */
export async function requestToSpend(name: string, scene: Scene): Promise<AnyInput> {
  const { pkg } = scene.open
  switch (name) {
    case 'deleteApiKey': {
      const as = { userToken: scene.owner.token }
      const key = await use(createApiKey, { params: { team_id: scene.teamId }, body: { state: 'active' } }, { as })
      return { params: { api_key_id: key.id } }
    }
    case 'deleteTag':
      return { params: { tag_id: (await makeTag(scene.owner, scene.teamId)).id } }
    case 'removeMember': {
      const { membership_id } = await makeMember('member', scene.teamId)
      return { params: { team_id: scene.teamId, membership_id } }
    }
    case 'withdrawInvitation': {
      const { id } = await makeInvitation(scene.owner, scene.teamId)
      return { params: { team_id: scene.teamId, invitation_id: id } }
    }
    case 'deleteSpace':
      return { params: { space_id: (await makeSpace(scene.owner, scene.teamId)).id } }
    case 'removeSpaceMember': {
      const { membership_id } = await makeMember('member', scene.teamId)
      const params = { space_id: scene.space.id }
      await use(
        addSpaceMembers,
        { params, body: { membership_ids: [membership_id] } },
        { as: { userToken: scene.owner.token } },
      )
      return { params: { ...params, membership_id } }
    }
    case 'deleteWebhook':
      return { params: { custom_webhook_id: (await makeHook(scene.owner, scene.teamId)).id } }
    case 'deleteConnection':
      return { params: { cloud_connection_id: (await makeConnection(scene.owner, scene.teamId)).id } }
    case 'deletePortal':
    case 'deleteForm': {
      const how = { as: { userToken: scene.owner.token } }
      const portal = await makePortal({}, how, scene.teamId)
      if (name === 'deletePortal') return { params: { portal_id: portal.id } }
      return { params: { form_id: (await makeForm(portal, {}, how)).id } }
    }
    case 'deleteFormTemplate':
      return { params: { form_template_id: (await makeTemplate(scene.owner, scene.teamId)).id } }
    case 'removeFile':
      return { params: inFile(await add(pkg, { kind: 'directory' })) }
    case 'deleteLink':
      return { params: { package_id: pkg.id, link_id: (await makeLink(pkg)).id } }
    default:
      return requestFor(name, scene).input
  }
}
