import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useText } from '#text/use-text.tsx'
import { TabSet } from '#ui/kit/tab-set.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { BackLink } from '../frame/back-link.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useConnections } from '../connections/use-connections.ts'
import { useTeam } from '../frame/team.ts'
import { transfersQuery } from '../transfers/queries.ts'
import { StorageTab } from '../transfers/storage-tab.tsx'
import { TransferList } from '../transfers/transfer-list.tsx'
import { AnswersTab } from './answers-tab.tsx'
import { FilesTab } from './files-tab.tsx'
import { LinksTab } from './links-tab.tsx'
import { PackageActions } from './package-actions.tsx'
import { PackageFacts } from './package-facts.tsx'
import { type Package, packageQuery } from './queries.ts'
import { StateBadge } from './state-badge.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { WaybillTab } from './waybill-tab.tsx'

export function PackagePage() {
  const text = useText<'console'>()
  const team = useTeam()
  const { packageId } = useParams({ from: '/console/$team/packages/$packageId' })
  const query = useQuery(packageQuery(team.id, packageId))
  const isReceived = query.data !== undefined && query.data.portal_id !== ''
  return (
    <>
      <BackLink to={isReceived ? '/console/$team/inbox' : '/console/$team/packages'}>
        {text(isReceived ? 'received.title' : 'sent.title')}
      </BackLink>
      <Loaded query={query}>{(pkg) => <Details pkg={pkg} />}</Loaded>
    </>
  )
}

function Details({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const { targets } = useConnections()
  const isGone = pkg.state === 'expired' || pkg.state === 'archived'
  const { data: transfers = [] } = useQuery({ ...transfersQuery(pkg), enabled: !isGone })
  const tabs = [
    ...(isGone ? [] : [{ id: 'files', label: text('files.title'), content: <FilesTab pkg={pkg} /> }]),
    { id: 'links', label: text('links.title'), content: <LinksTab pkg={pkg} /> },
    ...(pkg.custom_metadata_id === '' || isGone
      ? []
      : [{ id: 'answers', label: text('answers.title'), content: <AnswersTab pkg={pkg} /> }]),
    ...(pkg.state === 'finalized' && targets.length + transfers.length > 0
      ? [{ id: 'storage', label: text('transfers.title'), content: <StorageTab pkg={pkg} transfers={transfers} /> }]
      : []),
    ...(pkg.state === 'finalized'
      ? [{ id: 'waybill', label: text('waybill.title'), content: <WaybillTab pkg={pkg} /> }]
      : []),
  ]
  return (
    <>
      <PageHead title={pkg.name}>
        <PackageActions pkg={pkg} />
      </PageHead>
      <div className="mb-5 flex flex-wrap items-center gap-2">
        <StateBadge state={pkg.state} containsVirus={pkg.contains_virus} />
        {pkg.tag !== undefined && <span className="badge badge-accent badge-name">{pkg.tag.name}</span>}
        {pkg.teamspace !== null && <span className="badge badge-name">{pkg.teamspace.name}</span>}
      </div>
      {pkg.description !== '' && <p className="mb-5 max-w-3xl whitespace-pre-wrap wrap-anywhere">{pkg.description}</p>}
      {pkg.contains_virus && (
        <div className="mb-5">
          <Notice kind="danger">{text('package.virusHint')}</Notice>
        </div>
      )}
      {isGone && (
        <div className="mb-5">
          <Notice>{text('package.gone')}</Notice>
        </div>
      )}
      {pkg.state === 'new' &&
        (transfers.length === 0 ? (
          <UploadProgress pkg={pkg} />
        ) : (
          <div className="mb-5">
            <TransferList pkg={pkg} transfers={transfers} />
          </div>
        ))}
      <PackageFacts pkg={pkg} />
      <div className="mt-7">
        <TabSet label={pkg.name} tabs={tabs} />
      </div>
    </>
  )
}
