import { envSchema } from 'env-schema'
import type { Static, TObject } from 'typebox'

/** Parses the environment by a schema. Unknown names are left out; what is missing or wrong stops the program. */
export function readConfig<T extends TObject>(schema: T, env: NodeJS.ProcessEnv): Readonly<Static<T>> {
  try {
    return Object.freeze(
      envSchema<Static<T>>({
        schema,
        data: env,
        dotenv: false,
        env: false,
        ajv: { customOptions: (ajv) => ajv.addKeyword('secret') },
      }),
    )
  } catch (cause) {
    throw new Error(
      `The configuration is not usable: ${(cause as Error).message}. See docs/operate/configuration.md.`,
      {
        cause,
      },
    )
  }
}

/** The configuration as the start-up log shows it: what is secret only as set or not set. */
export function describeConfig(schema: TObject, config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => {
      const value = config[name]
      const secret = (property as { secret?: boolean }).secret === true
      return [name, secret ? (value === undefined || value === '' ? 'not set' : 'set') : value]
    }),
  )
}
