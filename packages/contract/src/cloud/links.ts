import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Count, Email, Id, Link, Secret, Time } from '#shapes'
import { PackageParams, PackageState } from './packages.ts'

export const CreatedLink = Type.Object({
  ...Link.properties,
  download_secret: Type.String(),
  secret: Type.String({ description: 'The same as download_secret. Shown here and nowhere else.' }),
  url: Type.String({ description: 'The address to share.' }),
})

const writable = {
  email: Type.Optional(Email),
  password: Type.Optional(Secret),
  access_limit: Type.Optional(Count),
  expiry: Type.Optional(Time),
  active: Type.Optional(Type.Boolean()),
}

export const createLink = endpoint({
  chapter: 'Links',
  summary: 'Create a download link',
  description: 'Gives access once the package is finalized. With `email` the link is mailed.',
  method: 'POST',
  path: '/v1/packages/:package_id/links',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  body: Type.Object(writable),
  bodyOptional: true,
  status: 201,
  reply: CreatedLink,
  idempotent: true,
  refusals: ['package_not_found', 'package_expired'],
})

export const listLinks = endpoint({
  chapter: 'Links',
  summary: 'List the links of a package',
  method: 'GET',
  path: '/v1/packages/:package_id/links',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 200,
  reply: Type.Array(Link),
  refusals: ['package_not_found'],
})

const LinkParams = Type.Object({ package_id: Id, link_id: Id })

export const updateLink = endpoint({
  chapter: 'Links',
  summary: 'Change a link',
  description:
    'What is left out stays. An empty password removes it. `active: false` ends running downloads of the link.',
  method: 'PUT',
  path: '/v1/packages/:package_id/links/:link_id',
  credential: 'package-token',
  levels: ['manage'],
  params: LinkParams,
  body: Type.Object(writable),
  status: 204,
  refusals: ['package_not_found', 'link_not_found', 'package_expired'],
})

export const deleteLink = endpoint({
  chapter: 'Links',
  summary: 'Block a link for good',
  description: 'Its record stays in the list; it gives no access any more.',
  method: 'DELETE',
  path: '/v1/packages/:package_id/links/:link_id',
  credential: 'package-token',
  levels: ['manage'],
  params: LinkParams,
  status: 204,
  refusals: ['package_not_found', 'link_not_found'],
})

export const lookUpLink = endpoint({
  chapter: 'Links',
  summary: 'Open a download link',
  description: 'Answers a read token for the package. Looking never counts as an access.',
  method: 'GET',
  path: '/v1/links/:link_id',
  credential: 'link',
  params: Type.Object({ link_id: Id }),
  query: Type.Object({
    secret: Type.String({ minLength: 1, maxLength: 128 }),
    earlier_token: Type.Optional(
      Type.String({
        maxLength: 2_048,
        description:
          'A read token that this link gave before, also one that has ended. The new one goes on with its access, so that a download of several days counts once.',
      }),
    ),
  }),
  status: 200,
  reply: Type.Object({
    id: Id,
    name: Type.String(),
    expiry: Time,
    package_id: Id,
    package_size: Bytes,
    package_token: Type.String({ description: 'Read token of the package, valid 24 hours.' }),
    recipient_email: Type.String(),
    sender_email: Type.String(),
    description: Type.String(),
    total_files: Count,
    state: PackageState,
    branding: Type.Object({
      primary_color: Type.String(),
      logo_url: Type.String(),
      team_name: Type.String(),
    }),
  }),
  refusals: ['package_expired', 'link_locked', 'link_inactive'],
})
