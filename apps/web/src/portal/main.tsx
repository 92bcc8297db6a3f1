import { Texts } from '#text/use-text.tsx'
import { startPage } from '#ui/plain/start-page.tsx'
import { PortalPage } from './portal-page.tsx'

startPage(
  <Texts door="portal">
    <PortalPage />
  </Texts>,
)
