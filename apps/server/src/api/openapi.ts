const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const

export const document = (publicUrl: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Longshore cloud API',
    version: '1.1',
    description:
      'Moves very large files between senders and recipients. Bytes go straight between clients and storage, by requests that this API signs.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: publicUrl }],
  components: {
    securitySchemes: {
      apiKey: header('X-API-KEY', 'API key of a Team member.'),
      userToken: header('X-User-Token', 'Token from POST /v1/auth, valid 72 hours.'),
      packageToken: header('X-Package-Token', 'access_token of a package, or package_token of a link.'),
      transferToken: header('X-Transfer-Token', 'Token of one transfer to or from a cloud connection.'),
      accessCode: header('X-Access-Code', 'Access code of a Portal, URI-encoded.'),
      linkPassword: header('X-Link-Password', 'Password of a link, URI-encoded.'),
    },
  },
})
