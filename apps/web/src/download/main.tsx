import { Texts } from '#text/use-text.tsx'
import { startPage } from '#ui/plain/start-page.tsx'
import { DownloadPage } from './download-page.tsx'
import { takeAddress } from './link.ts'

const address = takeAddress()

startPage(
  <Texts door="download">
    <DownloadPage address={address} />
  </Texts>,
)
