import type { Bench } from '#blob/self-test/bench'
import { type Outcome, worst } from '#blob/self-test/finding'
import { published } from '#blob/self-test/publishing'
import { type Answer, sendRaw } from '#blob/self-test/send-raw'
import { type Trick, usePolicy } from '#blob/self-test/trick'

const list = { 'list-type': '2', prefix: 'self-test/' }
const body = Buffer.from('not allowed')
const noPublicBucket = 'Take public rights away from the bucket: its policy and its ACL must not name everybody.'

/** What each identity could do if its key leaked, and what nobody in particular can do. */
export const identityTricks: readonly Trick[] = [
  {
    id: 'upload-reads',
    trick: 'reading an object with the upload identity',
    remedy: usePolicy,
    attempt: async (bench) =>
      answered(await sendRaw(bench.signUpload({ method: 'GET', key: bench.victim.key }), { method: 'GET' })),
  },
  {
    id: 'upload-lists',
    trick: 'listing the bucket with the upload identity',
    remedy: usePolicy,
    attempt: async (bench) =>
      answered(await sendRaw(bench.signUpload({ method: 'GET', key: '', query: list }), { method: 'GET' })),
  },
  {
    id: 'upload-deletes',
    trick: 'deleting an object with the upload identity',
    remedy: usePolicy,
    attempt: (bench) => deletion(bench, bench.signUpload),
  },
  {
    id: 'upload-publishes',
    trick: 'setting a public ACL on an uploaded object with the upload identity',
    remedy: `${usePolicy} Set IgnorePublicAcls.`,
    async attempt(bench) {
      const key = bench.freshKey()
      await sendRaw(bench.blueprints.put(key, body.length).url, { method: 'PUT', body })
      const headers = { 'x-amz-acl': 'public-read' }
      const url = bench.signUpload({ method: 'PUT', key, query: { acl: '' }, headers })
      const answer = await sendRaw(url, { method: 'PUT', headers })
      const { verdict, detail } = await published(bench, key, answer.said)
      return { verdict: verdict === 'harmless' && answer.status >= 400 ? 'refused' : verdict, detail }
    },
  },
  {
    id: 'read-writes',
    trick: 'writing an object with the read identity',
    remedy: usePolicy,
    async attempt(bench) {
      const key = bench.freshKey()
      const { said } = await sendRaw(bench.signRead({ method: 'PUT', key }), { method: 'PUT', body })
      return changed(said, (await bench.stored(key)) !== undefined, 'an object was stored')
    },
  },
  {
    id: 'read-deletes',
    trick: 'deleting an object with the read identity',
    remedy: usePolicy,
    attempt: (bench) => deletion(bench, bench.signRead),
  },
  {
    id: 'read-lists',
    trick: 'listing the bucket with the read identity',
    remedy: usePolicy,
    attempt: async (bench) =>
      answered(await sendRaw(bench.signRead({ method: 'GET', key: '', query: list }), { method: 'GET' })),
  },
  {
    id: 'anonymous-reads',
    trick: 'reading an object without a signature',
    remedy: noPublicBucket,
    attempt: async (bench) => anonymously(bench.anonymousUrls(bench.victim.key), 'GET'),
  },
  {
    id: 'anonymous-lists',
    trick: 'listing the bucket without a signature',
    remedy: noPublicBucket,
    attempt: async (bench) => anonymously(bench.anonymousUrls('', 'list-type=2'), 'GET'),
  },
  {
    id: 'anonymous-writes',
    trick: 'writing an object without a signature',
    remedy: noPublicBucket,
    attempt: async (bench) => anonymously(bench.anonymousUrls(bench.freshKey()), 'PUT'),
  },
]

async function deletion(bench: Bench, sign: Bench['signUpload']): Promise<Outcome> {
  const key = bench.freshKey()
  await bench.blob.write(key, body)
  const { said } = await sendRaw(sign({ method: 'DELETE', key }), { method: 'DELETE' })
  return changed(said, (await bench.stored(key)) === undefined, 'the object is gone')
}

async function anonymously(urls: readonly string[], method: 'GET' | 'PUT'): Promise<Outcome> {
  const answers = urls.map((url) => sendRaw(url, method === 'PUT' ? { method, body } : { method }))
  return worst((await Promise.all(answers)).map(answered))
}

function answered({ status, said }: Answer): Outcome {
  return { verdict: status >= 200 && status < 400 ? 'open' : 'refused', detail: said }
}

function changed(said: string, done: boolean, what: string): Outcome {
  return done ? { verdict: 'open', detail: `${said}; ${what}` } : { verdict: 'refused', detail: `${said}; no effect` }
}
