import * as wire from '@longshore/contract/cloud/forms'
import { answerForm } from '#domain/forms/answer-form'
import { createForm, deleteForm, readForm, updateForm } from '#domain/forms/manage-forms'
import { packageMetadata } from '#domain/forms/package-metadata'
import { createFormTemplate, deleteFormTemplate, listFormTemplates, updateFormTemplate } from '#domain/forms/templates'
import { route } from './route.ts'

export const formRoutes = [
  route(wire.createForm, (cx, { caller, params, body, once }) => createForm(cx, caller, params.portal_id, body, once)),
  route(wire.readForm, (cx, { caller, params }) => readForm(cx, caller, params.portal_id)),
  route(wire.updateForm, (cx, { caller, params, body }) => updateForm(cx, caller, params.form_id, body)),
  route(wire.deleteForm, (cx, { caller, params }) => deleteForm(cx, caller, params.form_id)),
  route(wire.createFormTemplate, (cx, { caller, params, body, once }) =>
    createFormTemplate(cx, caller, params.team_id, body, once),
  ),
  route(wire.listFormTemplates, (cx, { caller, params }) => listFormTemplates(cx, caller, params.team_id)),
  route(wire.updateFormTemplate, (cx, { caller, params, body }) =>
    updateFormTemplate(cx, caller, params.form_template_id, body),
  ),
  route(wire.deleteFormTemplate, (cx, { caller, params }) => deleteFormTemplate(cx, caller, params.form_template_id)),
  route(wire.answerForm, (cx, { caller, params, body, accessCode, address, once }) =>
    answerForm(cx, caller, params.portal_id, { accessCode, address }, body, once),
  ),
  route(wire.packageMetadata, (cx, { caller, params }) => packageMetadata(cx, caller, params.package_id)),
]
