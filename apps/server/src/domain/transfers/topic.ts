/** Named after a commit that left transfers to stores to be carried, or taken back. */
export const transfersTopic = 'transfers'
