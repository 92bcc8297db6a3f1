import { Refusal } from '@longshore/kit/refusal'
import { HostFault } from '@longshore/transfer/faults'

/** What is wrong with one entry of a folder keeps no other from being sent. It is told when all had their turn. */
export function entryTroubles() {
  let first: Error | undefined
  return {
    attempt: async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
      try {
        return await work()
      } catch (error) {
        const ofEntry = error instanceof HostFault || (error instanceof Refusal && error.code === 'path_not_found')
        if (!ofEntry) throw error
        first ??= error
        return undefined
      }
    },
    tell: (): void => {
      if (first !== undefined) throw first
    },
  }
}
