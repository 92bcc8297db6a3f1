import { ListObjectsV2Command, type ListObjectsV2CommandInput, type _Object, type S3Client } from '@aws-sdk/client-s3'
import { limited } from '#blob/s3-client'

/** Objects of a bucket, page by page. */
export async function* listPages(
  client: S3Client,
  input: Omit<ListObjectsV2CommandInput, 'ContinuationToken'>,
  rethrow: (error: unknown) => never,
): AsyncGenerator<readonly _Object[]> {
  let token: string | undefined
  do {
    const page = await client
      .send(new ListObjectsV2Command({ ...input, ContinuationToken: token }), limited())
      .catch(rethrow)
    yield page.Contents ?? []
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}
