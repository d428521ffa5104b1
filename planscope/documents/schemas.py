"""JSON Schemas of all documents that planscope prints, and of the session file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from planscope.campaign.result import CampaignReportDocument, ComparedArmsDocument
from planscope.documents.campaign import (
    CampaignCasesDocument,
    CampaignChangedDocument,
    CampaignListDocument,
    CampaignNeededDocument,
    CampaignReportsDocument,
    CampaignRunDocument,
)
from planscope.documents.comparison import ComparisonDocument
from planscope.documents.dissection import DissectDocument
from planscope.documents.fuzz import FuzzDocument
from planscope.documents.judgement import (
    CheckDocument,
    ExportDocument,
    ReasonsDocument,
    RepairDocument,
    ReplayDocument,
)
from planscope.documents.library import ChangedDocument, SessionDocument, SessionsDocument
from planscope.documents.listings import (
    AttachDocument,
    ConfigDocument,
    DoctorDocument,
    GrammarDocument,
    ModelsDocument,
    PreviewDocument,
    ThemesDocument,
    TopicsDocument,
    TracesDocument,
)
from planscope.documents.query import EditDocument, ErrorsDocument, MutateDocument, QueryDocument
from planscope.documents.rules import (
    DraftedDocument,
    MinedDocument,
    RuleChangeDocument,
    RulesAddedDocument,
    RulesCheckedDocument,
    RulesDocument,
    RulesRepairDocument,
)
from planscope.documents.runs import ManyRunsDocument, RunDocument, RunListDocument, RunsChangedDocument
from planscope.session.model import Session

DOCUMENTS: dict[str, Any] = {
    "session": Session,
    "new": QueryDocument,
    "parse": QueryDocument | ErrorsDocument,
    "check": CheckDocument | RulesCheckedDocument | RuleChangeDocument,
    "replay": ReplayDocument,
    "repair": RepairDocument | RulesRepairDocument,
    "compare": ComparisonDocument,
    "reasons": ReasonsDocument,
    "run": RunDocument | ManyRunsDocument,
    "fork": RunDocument,
    "edit": EditDocument,
    "runs": RunListDocument | RunsChangedDocument,
    "mutate": MutateDocument,
    "dissect": DissectDocument,
    "campaign": CampaignReportDocument
    | CampaignReportsDocument
    | CampaignRunDocument
    | ComparedArmsDocument
    | CampaignCasesDocument
    | CampaignNeededDocument
    | CampaignListDocument
    | CampaignChangedDocument,
    "attach": AttachDocument,
    "fuzz": FuzzDocument,
    "models": ModelsDocument,
    "export": ExportDocument | PreviewDocument,
    "topics": TopicsDocument,
    "themes": ThemesDocument,
    "config": ConfigDocument,
    "doctor": DoctorDocument,
    "grammar": GrammarDocument,
    "rules": RulesDocument | RulesAddedDocument | MinedDocument | DraftedDocument,
    "import": TracesDocument,
    "sessions": SessionsDocument | SessionDocument | ChangedDocument,
}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of one document. Raises KeyError for an unknown name."""
    mode: Literal["validation", "serialization"] = "validation" if name == "session" else "serialization"
    found = TypeAdapter(DOCUMENTS[name]).json_schema(mode=mode)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"planscope:{name}", **found}
