"""Addresses of the customer's pages."""

from django.urls import path

from assessments.pages import conversation, documents, intake, requests, sharing, what_if

app_name = "pages"
urlpatterns = [
    *intake.urlpatterns,
    path("requests/", requests.request_list, name="requests"),
    path("requests/<str:number>/", requests.request_detail, name="request"),
    path("requests/<str:number>/progress/", requests.progress_part, name="progress"),
    path("requests/<str:number>/retry/", requests.retry, name="retry"),
    path("requests/<str:number>/withdraw/", requests.withdraw, name="withdraw"),
    path("requests/<str:number>/change/", requests.change, name="change"),
    path("requests/<str:number>/what-if/", what_if.what_if, name="what_if"),
    path("requests/<str:number>/messages/", conversation.post, name="message"),
    path("requests/<str:number>/messages/<int:message_id>/file/", conversation.attachment, name="attachment"),
    path("requests/<str:number>/revisions/<int:revision>/", requests.revision_detail, name="revision"),
    path("requests/<str:number>/revisions/<int:revision>/share/", sharing.create, name="share"),
    path("requests/<str:number>/shares/<int:link_id>/revoke/", sharing.revoke, name="share_revoke"),
    path("requests/<str:number>/documents/<str:kind>-<str:language>.pdf", documents.pdf, name="document"),
    path("requests/<str:number>/documents/pending/", documents.pending, name="pdf_pending"),
    path("requests/<str:number>/documents/request/", documents.request_language, name="document_request"),
    path("requests/<str:number>/result.json", documents.result_json, name="result_json"),
    path("share/<str:raw>/", sharing.shared, name="shared"),
    path("share/<str:raw>/<str:kind>-<str:language>.pdf", sharing.shared_pdf, name="shared_document"),
    path("share/<str:raw>/result.json", sharing.shared_json, name="shared_json"),
]
